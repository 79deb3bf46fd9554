// digits::soft_limit: limit * tanh(x / limit), with one learned limit per channel.
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "opwright/opwright.h"

namespace digits {
namespace {

using opwright::AutogradContext;
using opwright::FakeTensor;
using opwright::Gradients;
using opwright::Tensor;

Tensor soft_limit_cpu(const Tensor& x, const Tensor& limit) {
  OPWRIGHT_CHECK(x.dim() == 4, "soft_limit: x must have 4 dimensions (N, C, H, W), got ", x);
  OPWRIGHT_CHECK(limit.dim() == 1 && limit.size(0) == x.size(1),
                 "soft_limit: limit must have one number for each of the ", x.size(1),
                 " channels, got ", limit);
  OPWRIGHT_CHECK(limit.dtype() == x.dtype(), "soft_limit: limit must be of the dtype of x, got ",
                 limit);
  const Tensor input = x.contiguous();
  const Tensor limits = limit.contiguous();
  Tensor output = opwright::empty_like(input);
  const int64_t channels = x.size(1);
  const int64_t plane = x.size(2) * x.size(3);
  opwright::for_floating_dtype(input.dtype(), "soft_limit", [&]<typename T>() {
    using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const T* in = input.data<T>();
    const T* bounds = limits.data<T>();
    T* out = output.mutable_data<T>();
    opwright::parallel_for(x.size(0) * channels, 64, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const auto bound = static_cast<Compute>(bounds[p % channels]);
        for (int64_t i = p * plane; i < (p + 1) * plane; ++i) {
          out[i] = static_cast<T>(bound * std::tanh(static_cast<Compute>(in[i]) / bound));
        }
      }
    });
  });
  return output;
}

FakeTensor soft_limit_fake(const FakeTensor& x, const FakeTensor& /*limit*/) {
  return opwright::empty_like(x);
}

void soft_limit_save(AutogradContext& context, const Tensor& x, const Tensor& limit,
                     const Tensor& y) {
  context.save({x, limit, y});
}

// With t = tanh(x / limit): dy/dx = 1 - t^2, and dy/dlimit = t - (x / limit) * (1 - t^2).
Gradients soft_limit_backward(const AutogradContext& context, const Tensor& grad) {
  const Tensor x = context.saved(0);
  const Tensor limit = context.saved(1).unsqueeze(-1).unsqueeze(-1);
  const Tensor t = context.saved(2) / limit;
  const Tensor slope = 1.0 - t * t;
  return {grad * slope, (grad * (t - x / limit * slope)).sum({0, 2, 3})};
}

}  // namespace

OPWRIGHT_LIBRARY(digits, m) {
  m.def("soft_limit(Tensor x, Tensor limit) -> Tensor");
  m.register_fake("soft_limit", &soft_limit_fake);
  m.register_autograd("soft_limit", &soft_limit_save, &soft_limit_backward);
}

OPWRIGHT_LIBRARY_IMPL(digits, CPU, m) { m.impl("soft_limit", &soft_limit_cpu); }

}  // namespace digits
