// Rules of every kind that an author can register.
#include <tuple>

#include "opwright/opwright.h"

namespace rules {
namespace {

using opwright::AutogradContext;
using opwright::Gradients;
using opwright::Tensor;
using opwright::VmapInfo;
using opwright::VmapResult;

std::tuple<Tensor, Tensor> sum_and_product(const Tensor& x, const Tensor& y, double scale) {
  return {(x + y) * scale, x * y};
}

void save(AutogradContext& context, const Tensor& x, const Tensor& y, double scale,
          const Tensor& /*sum*/, const Tensor& /*product*/) {
  context.save({x, y});
  context.set_attribute("half_scale", scale / 2);
}
Gradients backward(const AutogradContext& context, const Tensor& of_sum, const Tensor& of_product) {
  const double scale = 2 * context.attribute<double>("half_scale");
  const Tensor x_gradient =
      context.needs_gradient(0) ? of_sum * scale + of_product * context.saved(1) : Tensor();
  const Tensor y_gradient =
      context.needs_gradient(1) ? of_sum * scale + of_product * context.saved(0) : Tensor();
  return {x_gradient, y_gradient};
}
Gradients too_few(const AutogradContext& /*context*/, const Tensor& gradient) {
  return {gradient, gradient};
}

VmapResult<std::tuple<Tensor, Tensor>> vmap(const VmapInfo& info, const Tensor& x, const Tensor& y,
                                            double scale) {
  OPWRIGHT_CHECK(info.in_dims.size() == 3, "one in_dim for each argument was expected");
  return {sum_and_product(x, y, scale), {info.in_dims[0], info.in_dims[0]}};
}

}  // namespace

OPWRIGHT_LIBRARY(rules, m) {
  m.def("sum_and_product(Tensor x, Tensor y, float scale) -> (Tensor, Tensor)");
  m.register_autograd("sum_and_product", &save, &backward);
  m.register_vmap("sum_and_product", &vmap);
  m.register_autocast("sum_and_product", opwright::kCpu, opwright::DType::Float16);
  m.def("one(Tensor x) -> Tensor");
  m.register_autograd("one", &too_few);
}
OPWRIGHT_LIBRARY_IMPL(rules, CPU, m) { m.impl("sum_and_product", &sum_and_product); }

}  // namespace rules
