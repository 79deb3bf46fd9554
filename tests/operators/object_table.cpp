// object_table::...: operators that show what torch's Python objects look like from C++: uncarried
// kinds, contexts, symbols, and kernels that write into tensors that are given.
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "opwright/opwright.h"

namespace object_table {
namespace {

using opwright::AutogradContext;
using opwright::Complex;
using opwright::FakeTensor;
using opwright::Gradients;
using opwright::Scalar;
using opwright::SymInt;
using opwright::Tensor;

// ---- Kinds that torch's stable ABI does not carry ----

std::string describe(const Scalar& number, const Complex<double>& z,
                     const std::vector<std::optional<Tensor>>& parts,
                     const std::vector<std::string>& words) {
  std::string text = opwright::concatenate(number, " ", z.real, "+", z.imag, "i");
  for (const auto& part : parts)
    text += opwright::concatenate(" ", part ? part->numel() : int64_t{-1});
  for (const std::string& word : words) text += " " + word;
  return text;
}

// ---- Tensors ----

std::string describe_tensor(const Tensor& x) {
  return opwright::concatenate(x, x.is_fake() ? " fake" : "", x.is_symbolic() ? " symbolic" : "",
                               x.requires_grad() ? " requires_grad" : "");
}
double first_element(const Tensor& x) { return static_cast<double>(*x.data<float>()); }

// alpha * x + y, and alpha * x - y.
void residuals(const Tensor& x, const Tensor& y, double alpha, Tensor& sum, Tensor& difference) {
  OPWRIGHT_CHECK_VALUE(x.numel() == y.numel(), "residuals: x has ", x.numel(),
                       " elements, but y has ", y.numel());
  const auto scale = static_cast<float>(alpha);
  const float* from_x = x.data<float>();
  const float* from_y = y.data<float>();
  float* to_sum = sum.mutable_data<float>();
  float* to_difference = difference.mutable_data<float>();
  for (int64_t i = 0; i < x.numel(); ++i) {
    to_sum[i] = scale * from_x[i] + from_y[i];
    to_difference[i] = scale * from_x[i] - from_y[i];
  }
}
std::tuple<Tensor, Tensor> new_residuals(const Tensor& x, const Tensor& y, double alpha) {
  Tensor sum = opwright::empty_like(x);
  Tensor difference = opwright::empty_like(x);
  residuals(x, y, alpha, sum, difference);
  return {sum, difference};
}
std::tuple<FakeTensor, FakeTensor> new_residuals_fake(const FakeTensor& x, const FakeTensor& /*y*/,
                                                      double /*alpha*/) {
  return {opwright::empty_like(x), opwright::empty_like(x)};
}

Tensor& fill(Tensor& x, double value) { return x.fill_(value); }
Tensor first_half(const Tensor& x) { return x.narrow(0, 0, x.size(0) / 2); }

// Each element doubled, on other threads; every chunk keeps the tensor and calls an operator.
Tensor doubled_by_threads(const Tensor& x) {
  Tensor result = opwright::empty_like(x);
  opwright::parallel_for(x.numel(), 1, [&](int64_t begin, int64_t end) {
    const Tensor kept = x;
    const Tensor twice = kept * 2.0;
    for (int64_t i = begin; i < end; ++i) result.mutable_data<float>()[i] = twice.data<float>()[i];
  });
  return result;
}

// ---- Sizes ----

FakeTensor sized_fake(const FakeTensor& x, const FakeTensor& y) {
  const SymInt n = x.size(0);
  const SymInt m = y.size(0);
  return x.new_empty(
      {n + m, n * m - 1, n / 2 % 3 + 1, opwright::sym_max(n, m), opwright::sym_min(n, 4)});
}
// 1 for an unknown size: neither branch asks for more than is known.
FakeTensor unknown_fake(const FakeTensor& x) {
  if (opwright::guard_or_false(x.size(0) == 3)) return x.new_empty({3});
  if (!opwright::guard_or_true(x.size(0) != 5)) return x.new_empty({5});
  return x.new_empty({1});
}
FakeTensor both_fake(const FakeTensor& x, const FakeTensor& y) {
  const auto both = opwright::sym_and(x.size(0) == 4, opwright::sym_not(y.size(0) == 4));
  if (opwright::sym_or(both, x.size(0) > 100)) return x.new_empty({1});
  return x.new_empty({2});
}
FakeTensor checked_fake(const FakeTensor& x) {
  const SymInt rows = opwright::new_dynamic_size(0, 9);
  opwright::check(rows <= x.size(0), "checked: more rows than x has");
  return x.new_empty({rows});
}

// ---- Contexts ----

void save(AutogradContext& context, const Tensor& x, double scale, const std::string& /*mode*/,
          const Tensor& y) {
  context.save({x, Tensor(), y});
  context.set_attribute("twice", scale * 2);
  context.set_attribute("sizes", std::vector<int64_t>{});
  context.set_materialize_gradients(false);
  context.mark_non_differentiable({y});
}
Gradients backward(const AutogradContext& context, const Tensor& gradient) {
  OPWRIGHT_CHECK(!context.saved(1).is_defined(), "an undefined tensor came back as another");
  OPWRIGHT_CHECK(context.attribute<std::vector<int64_t>>("sizes").empty(), "sizes was empty");
  OPWRIGHT_CHECK(context.argument<std::string>(2) == context.attribute<std::string>("mode"),
                 "one argument by place and by name");
  if (!context.needs_gradient(0) || !gradient.is_defined()) return {Tensor()};
  return {gradient * context.attribute("twice") * context.attribute("scale") * context.saved(0)};
}

}  // namespace

OPWRIGHT_LIBRARY(object_table, m) {
  m.def("describe(Scalar number, complex z, Tensor?[] parts, str[] words) -> str", &describe);
  m.def("describe_tensor(Tensor x) -> str", &describe_tensor);
  m.def("first_element(Tensor x) -> float", &first_element);
  m.def("residuals(Tensor x, Tensor y, float alpha, Tensor(a!) sum, Tensor(b!) difference) -> ()");
  m.def("new_residuals(Tensor x, Tensor y, float alpha=1.0) -> (Tensor, Tensor)");
  m.register_fake("new_residuals", &new_residuals_fake);
  m.def("fill_(Tensor(a!) x, float value) -> Tensor(a!)");
  m.def("first_half(Tensor(a) x) -> Tensor(a)");
  m.def("doubled_by_threads(Tensor x) -> Tensor");
  m.def("sized(Tensor x, Tensor y) -> Tensor");
  m.register_fake("sized", &sized_fake);
  m.def("unknown(Tensor x) -> Tensor");
  m.register_fake("unknown", &unknown_fake);
  m.def("both(Tensor x, Tensor y) -> Tensor");
  m.register_fake("both", &both_fake);
  m.def("checked(Tensor x) -> Tensor");
  m.register_fake("checked", &checked_fake);
  m.def("scaled(Tensor x, float scale, str mode='plain') -> Tensor");
  m.register_autograd("scaled", &save, &backward);
}

OPWRIGHT_LIBRARY_IMPL(object_table, CPU, m) {
  m.impl("residuals", &residuals);
  m.impl("new_residuals", &new_residuals);
  m.impl("fill_", &fill);
  m.impl("first_half", &first_half);
  m.impl("doubled_by_threads", &doubled_by_threads);
}

}  // namespace object_table
