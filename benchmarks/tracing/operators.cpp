// The operator of make_fx.py, with a C++ fake kernel. torch_operators.cpp has the same operator for
// PyTorch.
#include "opwright/opwright.h"

namespace {

using opwright::FakeTensor;
using opwright::Tensor;

Tensor scale(const Tensor& x, double factor) {
  Tensor result = opwright::empty_like(x);
  float* out = result.mutable_data<float>();
  const float* in = x.data<float>();
  const int64_t count = x.numel();
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(factor) * in[i];
  return result;
}

FakeTensor scale_fake(const FakeTensor& x, double /*factor*/) { return opwright::empty_like(x); }

}  // namespace

OPWRIGHT_LIBRARY(tracing, m) {
  m.def("scale(Tensor x, float factor) -> Tensor");
  m.register_fake("scale", &scale_fake);
}

OPWRIGHT_LIBRARY_IMPL(tracing, CPU, m) { m.impl("scale", &scale); }
