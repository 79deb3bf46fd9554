// The operator that benchmarks/build_time.py compiles: schema, CPU kernel, fake kernel.
#include <cmath>

#include "opwright/opwright.h"

namespace {

using opwright::FakeTensor;
using opwright::Tensor;

Tensor soft_clip_cpu(const Tensor& x, double limit) {
  OPWRIGHT_CHECK(limit > 0, "soft_clip: limit must be positive, got ", limit);
  const Tensor input = x.contiguous();
  Tensor output = opwright::empty_like(input);
  opwright::for_floating_dtype(input.dtype(), "soft_clip", [&]<typename T>() {
    const T scale = static_cast<T>(limit);
    const T* in = input.data<T>();
    T* out = output.mutable_data<T>();
    opwright::parallel_for(input.numel(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = scale * std::tanh(in[i] / scale);
    });
  });
  return output;
}

FakeTensor soft_clip_fake(const FakeTensor& x, double /*limit*/) { return opwright::empty_like(x); }

}  // namespace

OPWRIGHT_LIBRARY(audio, m) {
  m.def("soft_clip(Tensor x, float limit=1.0) -> Tensor");
  m.register_fake("soft_clip", &soft_clip_fake);
}

OPWRIGHT_LIBRARY_IMPL(audio, CPU, m) { m.impl("soft_clip", &soft_clip_cpu); }
