// binomial: draws how many of count trials succeed, each with probability prob.
#include <cmath>
#include <cstdint>
#include <optional>

#include "opwright/fake_tensor.h"
#include "opwright/ops/engine/cpu/strided_loop.h"  // IWYU pragma: keep
#include "opwright/ops/engine/random/random_arguments.h"
#include "opwright/ops/engine/random/random_fill.h"  // IWYU pragma: keep
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr const char* kBinomial = "binomial";

// Adds up the geometric numbers of trials until each next success.
double count_successes(double count, double prob, ElementWords& words) {
  const double log_failure = std::log1p(-prob);
  double trials = 0;
  for (double successes = 0;; ++successes) {
    trials += std::ceil(std::log(words.next_uniform()) / log_failure);
    if (!(trials <= count)) return successes;
  }
}

// Hörmann's transformed rejection with squeeze (BTRS, 1993), for count * prob from 10 on and a prob
// of at most 1/2.
double reject_successes(double count, double prob, ElementWords& words) {
  const double deviation = std::sqrt(count * prob * (1 - prob));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * prob;
  const double c = count * prob + 0.5;
  const double v_r = 0.92 - 4.2 / b;
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double mode = std::floor((count + 1) * prob);
  const double log_odds = std::log(prob / (1 - prob));
  const double log_mode = std::lgamma(mode + 1) + std::lgamma(count - mode + 1);
  for (;;) {
    const double u = words.next_uniform() - 0.5;
    const double v = words.next_uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= v_r) return k;
    if (!(k >= 0 && k <= count)) continue;
    const double log_ratio =
        log_mode - std::lgamma(k + 1) - std::lgamma(count - k + 1) + (k - mode) * log_odds;
    if (std::log(v * alpha / (a / (us * us) + b)) <= log_ratio) return k;
  }
}

double draw_successes(double count, double prob, ElementWords words) {
  if (count == 0 || prob == 0) return 0;
  if (prob == 1) return count;
  const bool is_rare = prob <= 0.5;
  const double rare = is_rare ? prob : 1 - prob;
  const double drawn = count * rare < 10 ? count_successes(count, rare, words)
                                         : reject_successes(count, rare, words);
  return is_rare ? drawn : count - drawn;
}

SymSizes binomial_sizes(const Tensor& count, const Tensor& prob) {
  check_floating(kBinomial, count.dtype());
  OPWRIGHT_CHECK(count.dtype() == prob.dtype(), kBinomial,
                 ": count and prob must have the same dtype, got ", count.dtype(), " and ",
                 prob.dtype());
  return broadcast_sizes(sym_geometry_of(count).sizes, sym_geometry_of(prob).sizes, kBinomial);
}

}  // namespace

Tensor binomial_cpu(const Tensor& count, const Tensor& prob,
                    const std::optional<Generator>& generator) {
  Sizes sizes;
  for (const SymInt& size : binomial_sizes(count, prob)) sizes.push_back(size.specialise());
  const Tensor counts = make_empty(sizes, DType::Float64);
  const Tensor probs = make_empty(sizes, DType::Float64);
  const Tensor drawn = make_empty(sizes, DType::Float64);
  copy_elements(counts, count);
  copy_elements(probs, prob);
  const int64_t numel = drawn.numel();
  const CounterRange range =
      random_state(kBinomial, generator, count.device()).reserve(static_cast<uint64_t>(numel));
  const double* n = counts.mutable_data<double>();
  const double* p = probs.mutable_data<double>();
  double* out = drawn.mutable_data<double>();
  parallel_for(numel, 1024, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      OPWRIGHT_CHECK_VALUE(n[i] >= 0 && std::isfinite(n[i]) && n[i] == std::floor(n[i]), kBinomial,
                           ": counts must be whole numbers that are not negative, got ", n[i]);
      OPWRIGHT_CHECK_VALUE(p[i] >= 0 && p[i] <= 1, kBinomial,
                           ": prob must be between 0 and 1, got ", p[i]);
      out[i] = draw_successes(n[i], p[i],
                              ElementWords(range.seed, range.first + static_cast<uint64_t>(i)));
    }
  });
  Tensor result = make_empty(sizes, count.dtype());
  copy_elements(result, drawn);
  return result;
}

FakeTensor binomial_fake(const FakeTensor& count, const FakeTensor& prob,
                         const std::optional<Generator>& /*generator*/) {
  return make_fake_like(count, binomial_sizes(as_tensor(count), as_tensor(prob)), count.dtype());
}

}  // namespace opwright
