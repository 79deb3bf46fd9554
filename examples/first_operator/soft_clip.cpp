// audio::soft_clip: limit * tanh(x / limit), a clip without a corner.
#include <cmath>

#include "opwright/opwright.h"

namespace audio {
namespace {

using opwright::AutogradContext;
using opwright::FakeTensor;
using opwright::Gradients;
using opwright::Tag;
using opwright::Tensor;

Tensor soft_clip_cpu(const Tensor& x, double limit) {
  OPWRIGHT_CHECK_VALUE(limit > 0, "soft_clip: limit must be positive, got ", limit);
  const Tensor input = x.contiguous();
  Tensor output = opwright::empty_like(input);
  opwright::for_floating_dtype(input.dtype(), "soft_clip", [&]<typename T>() {
    const T scale = static_cast<T>(limit);
    const T* in = input.data<T>();
    T* out = output.mutable_data<T>();
    opwright::parallel_for(input.numel(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        out[i] = scale * std::tanh(in[i] / scale);
      }
    });
  });
  return output;
}

// Shapes and dtypes without data; sizes may be symbols here.
FakeTensor soft_clip_fake(const FakeTensor& x, double /*limit*/) {
  return opwright::empty_like(x.contiguous());
}

void soft_clip_save(AutogradContext& context, const Tensor& /*x*/, double /*limit*/,
                    const Tensor& y) {
  context.save({y});
}

// d/dx limit * tanh(x / limit) = 1 - (y / limit)^2
Gradients soft_clip_backward(const AutogradContext& context, const Tensor& grad) {
  const Tensor scaled = (1.0 / context.attribute("limit")) * context.saved(0);
  return {grad * (1.0 - scaled * scaled)};
}

}  // namespace

OPWRIGHT_LIBRARY(audio, m) {
  m.def("soft_clip(Tensor x, float limit=1.0) -> Tensor", {Tag::Pointwise});
  m.register_fake("soft_clip", &soft_clip_fake);
  m.register_autograd("soft_clip", &soft_clip_save, &soft_clip_backward);
}

OPWRIGHT_LIBRARY_IMPL(audio, CPU, m) { m.impl("soft_clip", &soft_clip_cpu); }

}  // namespace audio
