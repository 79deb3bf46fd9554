#include "opwright/autograd/gradient_flow.h"

#include <vector>

#include "opwright/dispatch/property.h"
#include "opwright/dispatch/registry.h"
#include "opwright/fake_tensor.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/library.h"

namespace opwright {
namespace {

Tensor computed_for_all_devices(const Tensor& value, std::span<const Tensor> /*gradients*/) {
  return value.clone();
}
// Keeps the strides: the call is replaced by `value` before the graph runs.
FakeTensor computed_for_fake(const FakeTensor& value, std::span<const FakeTensor> /*gradients*/) {
  return value.new_empty_strided(value.sizes(), value.strides());
}

Tensor sum_gradients_all_devices(const Tensor& a, const Tensor& b) { return a + b; }
FakeTensor sum_gradients_fake(const FakeTensor& a, const FakeTensor& b) { return a + b; }

}  // namespace

Tensor GradientFlow::sum(const Tensor& a, const Tensor& b) {
  static OperatorHandle<Tensor(const Tensor&, const Tensor&)> handle("opwright::sum_gradients");
  return handle(a, b);
}

void GradientFlow::mark(std::span<Tensor> given, std::span<const Tensor> gradients) {
  static OperatorHandle<Tensor(const Tensor&, std::span<const Tensor>)> handle(
      "opwright::computed_for");
  std::vector<Tensor> defined;
  for (const Tensor& gradient : gradients) {
    if (gradient.is_defined()) defined.push_back(gradient);
  }
  for (Tensor& each : given) {
    if (each.is_defined()) each = handle(each, defined);
  }
}

const Operator& computed_for_operator() {
  static const Operator& op = Registry::get().require("opwright::computed_for");
  return op;
}

const Operator& sum_gradients_operator() {
  static const Operator& op = Registry::get().require("opwright::sum_gradients");
  return op;
}

OPWRIGHT_LIBRARY_FRAGMENT(opwright, m) {
  constexpr Tags kTags = with_properties({}, {Property::Internal});
  m.def("computed_for(Tensor value, Tensor[] gradients) -> Tensor", kTags);
  m.def("sum_gradients(Tensor a, Tensor b) -> Tensor", kTags);
  m.register_fake("computed_for", &computed_for_fake);
  m.register_fake("sum_gradients", &sum_gradients_fake);
}
OPWRIGHT_LIBRARY_IMPL(opwright, AllDevices, m) {
  m.impl("computed_for", &computed_for_all_devices);
  m.impl("sum_gradients", &sum_gradients_all_devices);
}

}  // namespace opwright
