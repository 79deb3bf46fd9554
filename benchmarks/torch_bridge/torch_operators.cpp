// The operators of operators.cpp written for PyTorch, as the reference of torch_bridge.py.
#include <tuple>

#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

void add_scaled(const at::Tensor& x, const at::Tensor& y, double alpha, at::Tensor& result) {
  float* out = result.mutable_data_ptr<float>();
  const float* a = x.const_data_ptr<float>();
  const float* b = y.const_data_ptr<float>();
  const int64_t count = x.numel();
  for (int64_t i = 0; i < count; ++i) out[i] = a[i] + static_cast<float>(alpha) * b[i];
}

at::Tensor axpy(const at::Tensor& x, const at::Tensor& y, double alpha) {
  at::Tensor result = at::empty_like(x);
  add_scaled(x, y, alpha, result);
  return result;
}

void axpy_out(const at::Tensor& x, const at::Tensor& y, double alpha, at::Tensor& out) {
  add_scaled(x, y, alpha, out);
}

std::tuple<at::Tensor, at::Tensor> sum_and_difference(const at::Tensor& x, const at::Tensor& y,
                                                      double alpha) {
  return {axpy(x, y, alpha), axpy(x, y, -alpha)};
}

at::Tensor scale(const at::Tensor& x, double factor) {
  at::Tensor result = at::empty_like(x);
  float* out = result.mutable_data_ptr<float>();
  const float* in = x.const_data_ptr<float>();
  const int64_t count = x.numel();
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(factor) * in[i];
  return result;
}

at::Tensor blend(const at::Tensor& x, const at::Tensor& y) { return x * y - x; }

}  // namespace

TORCH_LIBRARY(torch_bridge_peer, m) {
  m.def("axpy(Tensor x, Tensor y, float alpha) -> Tensor");
  m.def("axpy_out(Tensor x, Tensor y, float alpha, Tensor(a!) out) -> ()");
  m.def("sum_and_difference(Tensor x, Tensor y, float alpha) -> (Tensor, Tensor)");
  m.def("scale(Tensor x, float factor) -> Tensor");
  m.def("blend(Tensor x, Tensor y) -> Tensor", &blend);
}

TORCH_LIBRARY_IMPL(torch_bridge_peer, CPU, m) {
  m.impl("axpy", &axpy);
  m.impl("axpy_out", &axpy_out);
  m.impl("sum_and_difference", &sum_and_difference);
  m.impl("scale", &scale);
}
