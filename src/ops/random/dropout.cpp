// Dropout: sets random elements, or entire channels, to 0 in training.
#include <cmath>
#include <optional>
#include <tuple>

#include "opwright/functions.h"
#include "opwright/ops/engine/random/random_arguments.h"
#include "opwright/ops/random/dropout_gradients.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// Whether to draw numbers; `p` is always checked.
bool drops(const char* who, const Tensor& input, double p, bool train) {
  check_probability(who, p);
  if (!train || p == 0 || p == 1) return false;
  check_inexact(who, input.dtype());
  return true;
}

// A zero of the dtype that does not change the dtype of a product.
Tensor zero_like(const Tensor& input) { return zeros({}, input.dtype(), {}, input.device()); }

// The result without drawing: all of input, or nothing.
Tensor keep_or_clear(const Tensor& input, double p, bool train) {
  return train && p == 1 ? mul(input, zero_like(input)) : input;
}
Tensor& keep_or_clear_in_place(Tensor& self, double p, bool train) {
  return train && p == 1 ? self.mul_(zero_like(self)) : self;
}

// 0 or 1 for each element, or for each channel of each example.
Tensor draw_noise(const char* who, const Tensor& input, double p, bool of_channels) {
  // Not in place: inside vmap a tensor that all samples share can have different noise in each.
  if (!of_channels) return bernoulli(empty_like(input), 1 - p);
  OPWRIGHT_CHECK_VALUE(input.dim() >= 2, who, ": input must have at least 2 dimensions, got sizes ",
                       to_text(sym_geometry_of(input).sizes));
  SymSizes sizes{input.sym_size(0), input.sym_size(1)};
  for (int64_t i = 2; i < input.dim(); ++i) sizes.push_back(1);
  return bernoulli(empty(sizes, input.dtype(), {}, input.device()), 1 - p);
}

// The factors that input is multiplied by.
Tensor draw_factors(const char* who, const Tensor& input, double p, bool of_channels) {
  Tensor noise = draw_noise(who, input, p, of_channels);
  noise.mul_(kept_scale(p));
  return noise;
}

// Alpha dropout preserves the mean and variance of SELU's outputs: dropped elements become its
// lower limit, and an affine map follows.
struct AlphaNoise {
  Tensor factor, shift;
};
AlphaNoise draw_alpha_noise(const char* who, const Tensor& input, double p, bool of_channels) {
  constexpr double kAlpha = 1.7580993408473766;
  Tensor noise = draw_noise(who, input, p, of_channels);
  const double scale = 1 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
  Tensor shift = add(noise, -1);
  shift.mul_(kAlpha * scale);
  shift.add_(kAlpha * scale * p);
  noise.mul_(scale);
  return {noise, shift};
}

Tensor drop(const char* who, const Tensor& input, double p, bool train, bool of_channels) {
  if (!drops(who, input, p, train)) return keep_or_clear(input, p, train);
  return mul(input, draw_factors(who, input, p, of_channels));
}
Tensor& drop_in_place(const char* who, Tensor& self, double p, bool train, bool of_channels) {
  if (!drops(who, self, p, train)) return keep_or_clear_in_place(self, p, train);
  return self.mul_(draw_factors(who, self, p, of_channels));
}
Tensor alpha_drop(const char* who, const Tensor& input, double p, bool train, bool of_channels) {
  if (!drops(who, input, p, train)) return keep_or_clear(input, p, train);
  const AlphaNoise noise = draw_alpha_noise(who, input, p, of_channels);
  return add(mul(input, noise.factor), noise.shift);
}
Tensor& alpha_drop_in_place(const char* who, Tensor& self, double p, bool train, bool of_channels) {
  if (!drops(who, self, p, train)) return keep_or_clear_in_place(self, p, train);
  const AlphaNoise noise = draw_alpha_noise(who, self, p, of_channels);
  self.mul_(noise.factor);
  self.add_(noise.shift);
  return self;
}

}  // namespace

std::tuple<Tensor, Tensor> native_dropout_all_devices(const Tensor& input, double p,
                                                      const std::optional<bool>& train) {
  constexpr const char* kWho = "native_dropout";
  check_probability(kWho, p);
  if (!train.value_or(true)) return {input.clone(), ones_like(input, DType::Bool)};
  check_inexact(kWho, input.dtype());
  Tensor mask = empty_like(input, DType::Bool);
  mask.bernoulli_(1 - p);
  Tensor output = mul(input, mask);
  output.mul_(kept_scale(p));
  return {output, mask};
}

Tensor native_dropout_backward_all_devices(const Tensor& grad_output, const Tensor& mask,
                                           double scale) {
  return mul(mul(grad_output, mask), scale);
}

Tensor dropout_composite(const Tensor& input, double p, bool train) {
  if (!drops("dropout", input, p, train)) return keep_or_clear(input, p, train);
  return std::get<0>(native_dropout(input, p, train));
}
Tensor& dropout_in_place_composite(Tensor& self, double p, bool train) {
  return drop_in_place("dropout_", self, p, train, false);
}
Tensor feature_dropout_composite(const Tensor& input, double p, bool train) {
  return drop("feature_dropout", input, p, train, true);
}
Tensor& feature_dropout_in_place_composite(Tensor& self, double p, bool train) {
  return drop_in_place("feature_dropout_", self, p, train, true);
}
Tensor alpha_dropout_composite(const Tensor& input, double p, bool train) {
  return alpha_drop("alpha_dropout", input, p, train, false);
}
Tensor& alpha_dropout_in_place_composite(Tensor& self, double p, bool train) {
  return alpha_drop_in_place("alpha_dropout_", self, p, train, false);
}
Tensor feature_alpha_dropout_composite(const Tensor& input, double p, bool train) {
  return alpha_drop("feature_alpha_dropout", input, p, train, true);
}
Tensor& feature_alpha_dropout_in_place_composite(Tensor& self, double p, bool train) {
  return alpha_drop_in_place("feature_alpha_dropout_", self, p, train, true);
}

}  // namespace opwright
