// The operators that torch_bridge.py calls through the bridge. torch_operators.cpp has the same
// operators written for PyTorch.
#include <tuple>

#include "opwright/opwright.h"

namespace {

using opwright::AutogradContext;
using opwright::FakeTensor;
using opwright::Gradients;
using opwright::Tensor;

void add_scaled(const Tensor& x, const Tensor& y, double alpha, Tensor& result) {
  float* out = result.mutable_data<float>();
  const float* a = x.data<float>();
  const float* b = y.data<float>();
  const int64_t count = x.numel();
  for (int64_t i = 0; i < count; ++i) out[i] = a[i] + static_cast<float>(alpha) * b[i];
}

Tensor axpy(const Tensor& x, const Tensor& y, double alpha) {
  Tensor result = opwright::empty_like(x);
  add_scaled(x, y, alpha, result);
  return result;
}

void axpy_out(const Tensor& x, const Tensor& y, double alpha, Tensor& out) {
  add_scaled(x, y, alpha, out);
}

std::tuple<Tensor, Tensor> sum_and_difference(const Tensor& x, const Tensor& y, double alpha) {
  return {axpy(x, y, alpha), axpy(x, y, -alpha)};
}

Tensor scale(const Tensor& x, double factor) {
  Tensor result = opwright::empty_like(x);
  float* out = result.mutable_data<float>();
  const float* in = x.data<float>();
  const int64_t count = x.numel();
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(factor) * in[i];
  return result;
}

Gradients scale_backward(const AutogradContext& context, const Tensor& grad) {
  return {grad * context.argument<double>(1)};
}

FakeTensor axpy_fake(const FakeTensor& x, const FakeTensor& /*y*/, double /*alpha*/) {
  return opwright::empty_like(x);
}

std::tuple<FakeTensor, FakeTensor> sum_and_difference_fake(const FakeTensor& x,
                                                           const FakeTensor& /*y*/,
                                                           double /*alpha*/) {
  return {opwright::empty_like(x), opwright::empty_like(x)};
}

FakeTensor scale_fake(const FakeTensor& x, double /*factor*/) { return opwright::empty_like(x); }

Tensor blend(const Tensor& x, const Tensor& y) { return x * y - x; }

}  // namespace

OPWRIGHT_LIBRARY(torch_bridge, m) {
  m.def("axpy(Tensor x, Tensor y, float alpha) -> Tensor");
  m.register_fake("axpy", &axpy_fake);
  m.def("axpy_out(Tensor x, Tensor y, float alpha, Tensor(a!) out) -> ()");
  m.def("sum_and_difference(Tensor x, Tensor y, float alpha) -> (Tensor, Tensor)");
  m.register_fake("sum_and_difference", &sum_and_difference_fake);
  m.def("scale(Tensor x, float factor) -> Tensor");
  m.register_fake("scale", &scale_fake);
  m.register_autograd("scale", &scale_backward);
  m.def("blend(Tensor x, Tensor y) -> Tensor", &blend);
}

OPWRIGHT_LIBRARY_IMPL(torch_bridge, CPU, m) {
  m.impl("axpy", &axpy);
  m.impl("axpy_out", &axpy_out);
  m.impl("sum_and_difference", &sum_and_difference);
  m.impl("scale", &scale);
}
