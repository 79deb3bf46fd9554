// The operators of python_call.py. torch_operators.cpp has the same operators for PyTorch.
#include "opwright/opwright.h"

namespace {

using opwright::Tag;
using opwright::Tensor;

void axpy_(Tensor& x, const Tensor& y, double alpha) {
  float* out = x.mutable_data<float>();
  const float* in = y.data<float>();
  const int64_t count = x.numel();
  for (int64_t i = 0; i < count; ++i) out[i] += static_cast<float>(alpha) * in[i];
}

Tensor axpy(const Tensor& x, const Tensor& y, double alpha) {
  Tensor result = opwright::empty_like(x);
  float* out = result.mutable_data<float>();
  const float* a = x.data<float>();
  const float* b = y.data<float>();
  const int64_t count = x.numel();
  for (int64_t i = 0; i < count; ++i) out[i] = a[i] + static_cast<float>(alpha) * b[i];
  return result;
}

std::tuple<Tensor, Tensor> sum_and_difference(const Tensor& x, const Tensor& y, double alpha) {
  return {axpy(x, y, alpha), axpy(x, y, -alpha)};
}

using T = const Tensor&;
void take14(T, T, T, T, T, T, T, T, T, T, T, T, T, T) {}

// Two overloads of one name: a call of the packet must select the second.
void choose_int(const Tensor& /*x*/, const Tensor& /*y*/, int64_t /*count*/) {}
void choose_float(const Tensor& /*x*/, const Tensor& /*y*/, double /*alpha*/) {}

}  // namespace

OPWRIGHT_LIBRARY(python_call, m) {
  m.def("axpy_(Tensor(a!) x, Tensor y, float alpha) -> ()");
  m.def("axpy(Tensor x, Tensor y, float alpha) -> Tensor");
  m.def("sum_and_difference(Tensor x, Tensor y, float alpha) -> (Tensor, Tensor)");
  m.def(
      "take14(Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f, Tensor g, Tensor h, "
      "Tensor i, Tensor j, Tensor k, Tensor l, Tensor m, Tensor n) -> ()");
  m.def("choose.count(Tensor x, Tensor y, int count) -> ()");
  m.def("choose.scale(Tensor x, Tensor y, float alpha) -> ()");
  m.def("blocking_axpy_(Tensor(a!) x, Tensor y, float alpha) -> ()", {Tag::Blocking});
}

OPWRIGHT_LIBRARY_IMPL(python_call, CPU, m) {
  m.impl("axpy_", &axpy_);
  m.impl("axpy", &axpy);
  m.impl("sum_and_difference", &sum_and_difference);
  m.impl("take14", &take14);
  m.impl("choose.count", &choose_int);
  m.impl("choose.scale", &choose_float);
  m.impl("blocking_axpy_", &axpy_);
}
