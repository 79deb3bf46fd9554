// poisson: draws event counts for the expected counts in self.
#include <cmath>
#include <cstdint>
#include <optional>

#include "opwright/fake_tensor.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/cpu/strided_loop.h"  // IWYU pragma: keep
#include "opwright/ops/engine/random/random_arguments.h"
#include "opwright/ops/engine/random/random_fill.h"  // IWYU pragma: keep

namespace opwright {
namespace {

constexpr const char* kPoisson = "poisson";

// Counts events until their exponential waiting times exceed the interval.
double count_events(double rate, ElementWords& words) {
  const double limit = std::exp(-rate);
  double product = words.next_uniform();
  double events = 0;
  for (; product > limit; ++events) product *= words.next_uniform();
  return events;
}

// Hörmann's transformed rejection with squeeze (PTRS, 1993), for rates from 10 on.
double draw_by_rejection(double rate, ElementWords& words) {
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double v_r = 0.9277 - 3.6224 / (b - 2);
  const double log_rate = std::log(rate);
  for (;;) {
    const double u = words.next_uniform() - 0.5;
    const double v = words.next_uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v * inverse_alpha / (a / (us * us) + b)) <=
        k * log_rate - rate - std::lgamma(k + 1))
      return k;
  }
}

double draw_events(double rate, ElementWords words) {
  if (rate == 0) return 0;
  return rate < 10 ? count_events(rate, words) : draw_by_rejection(rate, words);
}

}  // namespace

Tensor poisson_cpu(const Tensor& self, const std::optional<Generator>& generator) {
  check_floating(kPoisson, self.dtype());
  const Tensor rates = as_dtype(as_contiguous(self), DType::Float64);
  const Tensor events = make_empty(self.sizes(), DType::Float64);
  const int64_t numel = rates.numel();
  const CounterRange range =
      random_state(kPoisson, generator, self.device()).reserve(static_cast<uint64_t>(numel));
  const double* in = numel == 0 ? nullptr : rates.data<double>();
  double* out = events.mutable_data<double>();
  parallel_for(numel, 1024, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      OPWRIGHT_CHECK_VALUE(in[i] >= 0 && std::isfinite(in[i]), kPoisson,
                           ": rates must be finite and not negative, got ", in[i]);
      out[i] = draw_events(in[i], ElementWords(range.seed, range.first + static_cast<uint64_t>(i)));
    }
  });
  Tensor result = make_empty(self.sizes(), self.dtype());
  copy_elements(result, events);
  return result;
}

FakeTensor poisson_fake(const FakeTensor& self, const std::optional<Generator>& /*generator*/) {
  check_floating(kPoisson, self.dtype());
  return empty_like(self, {}, {}, {}, {}, MemoryFormat::Contiguous);
}

}  // namespace opwright
