// The operator of autograd.py with a C++ formula.
#include "opwright/opwright.h"

namespace {

using opwright::AutogradContext;
using opwright::Gradients;
using opwright::Tensor;

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

}  // namespace

OPWRIGHT_LIBRARY(differentiation, m) {
  m.def("scale(Tensor x, float factor) -> Tensor");
  m.register_autograd("scale", &scale_backward);
}

OPWRIGHT_LIBRARY_IMPL(differentiation, CPU, m) { m.impl("scale", &scale); }
