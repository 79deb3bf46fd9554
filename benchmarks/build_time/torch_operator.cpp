// The same operator for PyTorch. WHOLE_EXTENSION adds the headers of load_inline.
#include <cmath>

#include <ATen/OpMathType.h>

#ifdef WHOLE_EXTENSION
#include <torch/extension.h>
#else
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty_like.h>
#include <torch/library.h>
#endif

namespace {

at::Tensor soft_clip_cpu(const at::Tensor& x, double limit) {
  TORCH_CHECK(limit > 0, "soft_clip: limit must be positive, got ", limit);
  const at::Tensor input = x.contiguous();
  at::Tensor output = at::empty_like(input);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, input.scalar_type(), "soft_clip", [&] {
    using Compute = at::opmath_type<scalar_t>;
    const Compute scale = static_cast<Compute>(limit);
    const scalar_t* in = input.const_data_ptr<scalar_t>();
    scalar_t* out = output.mutable_data_ptr<scalar_t>();
    at::parallel_for(0, input.numel(), 32768, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        out[i] = static_cast<scalar_t>(scale * std::tanh(static_cast<Compute>(in[i]) / scale));
      }
    });
  });
  return output;
}

at::Tensor soft_clip_meta(const at::Tensor& x, double /*limit*/) { return at::empty_like(x); }

}  // namespace

TORCH_LIBRARY(audio, m) { m.def("soft_clip(Tensor x, float limit=1.0) -> Tensor"); }
TORCH_LIBRARY_IMPL(audio, CPU, m) { m.impl("soft_clip", &soft_clip_cpu); }
TORCH_LIBRARY_IMPL(audio, Meta, m) { m.impl("soft_clip", &soft_clip_meta); }
