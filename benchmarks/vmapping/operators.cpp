// The operators of vmap.py: the same operator with and without a vmap rule. torch_operators.cpp has
// them for PyTorch.
#include "opwright/opwright.h"

namespace {

using opwright::Tensor;
using opwright::VmapInfo;
using opwright::VmapResult;

Tensor scale(const Tensor& x, double factor) {
  Tensor result = opwright::empty_like(x);
  float* out = result.mutable_data<float>();
  const float* in = x.data<float>();
  const int64_t count = x.numel();
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(factor) * in[i];
  return result;
}

opwright::OperatorHandle<Tensor(const Tensor&, double)> call_scale("vmapping::scale");

VmapResult<Tensor> scale_vmap(const VmapInfo& info, const Tensor& x, double factor) {
  return {.results = call_scale(x, factor), .out_dims = {info.in_dims[0]}};
}

}  // namespace

OPWRIGHT_LIBRARY(vmapping, m) {
  m.def("scale(Tensor x, float factor) -> Tensor");
  m.register_vmap("scale", &scale_vmap);
  m.def("slow_scale(Tensor x, float factor) -> Tensor");
}

OPWRIGHT_LIBRARY_IMPL(vmapping, CPU, m) {
  m.impl("scale", &scale);
  m.impl("slow_scale", &scale);
}
