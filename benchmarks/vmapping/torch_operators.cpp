// The operators of operators.cpp, registered with PyTorch; the rule is registered from Python.
#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

at::Tensor scale(const at::Tensor& x, double factor) {
  at::Tensor result = at::empty_like(x);
  float* out = result.mutable_data_ptr<float>();
  const float* in = x.const_data_ptr<float>();
  const int64_t count = x.numel();
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(factor) * in[i];
  return result;
}

}  // namespace

TORCH_LIBRARY(vmapping, m) {
  m.def("scale(Tensor x, float factor) -> Tensor", {at::Tag::pt2_compliant_tag});
  m.def("slow_scale(Tensor x, float factor) -> Tensor", {at::Tag::pt2_compliant_tag});
}

TORCH_LIBRARY_IMPL(vmapping, CPU, m) {
  m.impl("scale", &scale);
  m.impl("slow_scale", &scale);
}
