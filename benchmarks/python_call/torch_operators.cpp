// The operators of operators.cpp, registered with PyTorch.
#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

void axpy_(at::Tensor& x, const at::Tensor& y, double alpha) {
  float* out = x.mutable_data_ptr<float>();
  const float* in = y.const_data_ptr<float>();
  const int64_t count = x.numel();
  for (int64_t i = 0; i < count; ++i) out[i] += static_cast<float>(alpha) * in[i];
}

at::Tensor axpy(const at::Tensor& x, const at::Tensor& y, double alpha) {
  at::Tensor result = at::empty_like(x);
  float* out = result.mutable_data_ptr<float>();
  const float* a = x.const_data_ptr<float>();
  const float* b = y.const_data_ptr<float>();
  const int64_t count = x.numel();
  for (int64_t i = 0; i < count; ++i) out[i] = a[i] + static_cast<float>(alpha) * b[i];
  return result;
}

std::tuple<at::Tensor, at::Tensor> sum_and_difference(const at::Tensor& x, const at::Tensor& y,
                                                      double alpha) {
  return {axpy(x, y, alpha), axpy(x, y, -alpha)};
}

using T = const at::Tensor&;
void take14(T, T, T, T, T, T, T, T, T, T, T, T, T, T) {}

void choose_int(const at::Tensor& /*x*/, const at::Tensor& /*y*/, int64_t /*count*/) {}
void choose_float(const at::Tensor& /*x*/, const at::Tensor& /*y*/, double /*alpha*/) {}

}  // namespace

TORCH_LIBRARY(python_call, m) {
  m.def("axpy_(Tensor(a!) x, Tensor y, float alpha) -> ()");
  m.def("axpy(Tensor x, Tensor y, float alpha) -> Tensor");
  m.def("sum_and_difference(Tensor x, Tensor y, float alpha) -> (Tensor, Tensor)");
  m.def(
      "take14(Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f, Tensor g, Tensor h, "
      "Tensor i, Tensor j, Tensor k, Tensor l, Tensor m, Tensor n) -> ()");
  m.def("choose.count(Tensor x, Tensor y, int count) -> ()");
  m.def("choose.scale(Tensor x, Tensor y, float alpha) -> ()");
}

TORCH_LIBRARY_IMPL(python_call, CPU, m) {
  m.impl("axpy_", &axpy_);
  m.impl("axpy", &axpy);
  m.impl("sum_and_difference", &sum_and_difference);
  m.impl("take14", &take14);
  m.impl("choose.count", &choose_int);
  m.impl("choose.scale", &choose_float);
}
