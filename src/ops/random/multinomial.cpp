// multinomial: draws indices by weight.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "opwright/fake_tensor.h"
#include "opwright/ops/engine/random/distribution.h"
#include "opwright/ops/engine/random/random_arguments.h"
#include "opwright/ops/engine/random/random_fill.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr const char* kMultinomial = "multinomial";

// The sizes of the result.
SymSizes check_arguments(const Tensor& self, const SymInt& num_samples, bool replacement) {
  check_floating(kMultinomial, self.dtype());
  SymSizes sizes = sym_geometry_of(self).sizes;
  OPWRIGHT_CHECK_VALUE(sizes.size() == 1 || sizes.size() == 2, kMultinomial,
                       ": self must have 1 or 2 dimensions, got sizes ", to_text(sizes));
  check(num_samples > 0,
        concatenate(kMultinomial, ": num_samples must be positive, got ", num_samples));
  const SymInt& categories = sizes.back();
  check(categories > 0, concatenate(kMultinomial, ": self has no weights to draw from, got sizes ",
                                    to_text(sizes)));
  if (!replacement) {
    check(num_samples <= categories,
          concatenate(kMultinomial, ": num_samples=", num_samples, " is more than the ", categories,
                      " positions that can be drawn without replacement; use replacement=True"));
  }
  sizes.back() = num_samples;
  return sizes;
}

void check_weights(const double* weights, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    OPWRIGHT_CHECK_VALUE(weights[i] >= 0 && std::isfinite(weights[i]), kMultinomial,
                         ": weights must be finite and not negative, got ", weights[i]);
    sum += weights[i];
  }
  OPWRIGHT_CHECK_VALUE(sum > 0, kMultinomial, ": at least one weight of each row must be positive");
}

// `random` holds one number in [0, 1) per sample. The weights are replaced by their sums.
void draw_with_replacement(double* weights, int64_t count, const double* random, int64_t* samples,
                           int64_t num_samples) {
  check_weights(weights, count);
  double* sums = weights;
  std::partial_sum(weights, weights + count, sums);
  const double whole = sums[count - 1];
  // The first sum equal to the total: rounding must not select a weight of 0 after it.
  const double* last = std::lower_bound(sums, sums + count, whole);
  for (int64_t i = 0; i < num_samples; ++i)
    samples[i] = std::upper_bound<const double*>(sums, last, random[i] * whole) - sums;
}

// `random` holds an exponentially distributed number per weight: weights divided by these, in
// descending order, give the order of drawing.
void draw_without_replacement(double* weights, int64_t count, const double* random,
                              int64_t* samples, int64_t num_samples) {
  check_weights(weights, count);
  const double* keys = weights;
  for (int64_t i = 0; i < count; ++i) weights[i] /= random[i];
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(
      order.begin(), order.begin() + num_samples, order.end(),
      [&](int64_t a, int64_t b) { return keys[a] > keys[b] || (keys[a] == keys[b] && a < b); });
  std::copy_n(order.begin(), num_samples, samples);
}

}  // namespace

Tensor multinomial_cpu(const Tensor& self, int64_t num_samples, bool replacement,
                       const std::optional<Generator>& generator) {
  const SymSizes sizes = check_arguments(self, num_samples, replacement);
  Tensor result = make_empty(*as_plain(sizes), DType::Int64);
  if (result.numel() == 0) return result;
  const Tensor weights = make_empty(self.sizes(), DType::Float64);
  copy_elements(weights, self);
  const int64_t count = self.size(-1);
  const int64_t rows = weights.numel() / count;
  const int64_t per_row = replacement ? num_samples : count;
  RandomState& state = random_state(kMultinomial, generator, self.device());
  const Tensor random = make_empty({{rows * per_row}}, DType::Float64);
  if (replacement) {
    fill_random(kMultinomial, random, state, UniformDouble{0, 1, 1 - 0x1p-53});
  } else {
    fill_random(kMultinomial, random, state, ExponentialDouble{1});
  }
  const auto draw = replacement ? &draw_with_replacement : &draw_without_replacement;
  auto* in = weights.mutable_data<double>();
  const auto* numbers = random.data<double>();
  auto* out = result.mutable_data<int64_t>();
  const int64_t grain = std::max<int64_t>(1, 4096 / (count + num_samples));
  parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      draw(in + row * count, count, numbers + row * per_row, out + row * num_samples, num_samples);
  });
  return result;
}

FakeTensor multinomial_fake(const FakeTensor& self, const SymInt& num_samples, bool replacement,
                            const std::optional<Generator>& /*generator*/) {
  return make_fake_like(self, check_arguments(as_tensor(self), num_samples, replacement),
                        DType::Int64);
}

}  // namespace opwright
