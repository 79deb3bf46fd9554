#include "opwright/check/gradient/slope.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "opwright/base/thread_state.h"
#include "opwright/check/example/checked_function.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/example_line.h"
#include "opwright/check/example/outcome.h"
#include "opwright/check/example/recorded_call.h"
#include "opwright/check/values/real_numbers.h"
#include "opwright/dtype.h"
#include "opwright/runtime/func.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

constexpr uint64_t kOfWeights = 5000;  // so that weights differ from other random directions

// The distance between neighbouring numbers of the dtype, relative to them.
double precision_of(DType dtype) {
  const size_t bytes = item_size(dtype) / (is_complex(dtype) ? 2 : 1);
  if (bytes == 8) return std::numeric_limits<double>::epsilon();
  if (bytes == 4) return static_cast<double>(std::numeric_limits<float>::epsilon());
  return dtype == DType::BFloat16 ? 0x1p-7 : bytes == 2 ? 0x1p-10 : 0x1p-2;
}

bool is_fine(double precision) { return precision < 1e-12; }
double step_of(double precision) { return is_fine(precision) ? 1e-5 : 4e-3; }
double tolerance_of(double precision) { return is_fine(precision) ? 1e-5 : 1e-2; }

double total(const std::vector<double>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

}  // namespace

bool Slopes::agree() const noexcept { return std::abs(by_formula - by_differences) <= tolerance; }

SlopeMeasurement::SlopeMeasurement(const ExampleLine& line, uint64_t seed) : line_(line) {
  const Example middle = line.at(0);
  const RecordedCall call(middle, line.subset());
  if (call.outcome().is_refused() || call.differentiable().empty()) return;
  summed_ = call.differentiable();
  weigh(call, seed);
  middle_ = sum_of(call.outputs());
  const double again = sum_at(0, std::nullopt);
  is_usable_ = precision_ < 1e-3 && std::abs(middle_ - again) <= 4 * precision_ * magnitude_;
  if (!is_usable_) return;

  std::vector<Tensor> gradients;
  for (size_t i = 0; i < summed_.size(); ++i) {
    gradients.push_back(tensor_of(weights_[i], call.outputs()[summed_[i]]));
  }
  const std::vector<Tensor> pulled = call.pull(gradients);
  for (size_t which = 0; which < pulled.size(); ++which) {
    double slope = 0;
    double size = 0;
    const Numbers numbers = pulled[which].is_defined() ? numbers_of(pulled[which]) : Numbers();
    for (size_t k = 0; k < numbers.size(); ++k) {
      slope += numbers[k] * line.direction(which)[k];
      size += std::abs(numbers[k] * line.direction(which)[k]);
    }
    slopes_.push_back(slope);
    sizes_.push_back(size);
  }
}

// Results that are not finite get weight 0: they have no slope.
void SlopeMeasurement::weigh(const RecordedCall& call, uint64_t seed) {
  precision_ = precision_of(line_.dtype());
  for (const size_t place : summed_) {
    const Tensor& output = call.outputs()[place];
    precision_ = std::max(precision_, precision_of(output.dtype()));
    const Numbers numbers = numbers_of(output);
    Numbers weights = random_direction(numbers.size(), seed + kOfWeights + place);
    for (size_t k = 0; k < numbers.size(); ++k) {
      if (!std::isfinite(numbers[k])) weights[k] = 0;
      if (weights[k] != 0) magnitude_ += std::abs(weights[k] * numbers[k]);
    }
    // As the formula receives them.
    weights_.push_back(numbers_of(tensor_of(weights, output)));
  }
}

double SlopeMeasurement::sum_of(const std::vector<Tensor>& outputs) const {
  double sum = 0;
  for (size_t i = 0; i < summed_.size(); ++i) {
    if (summed_[i] >= outputs.size()) return std::numeric_limits<double>::quiet_NaN();
    const Numbers numbers = numbers_of(outputs[summed_[i]]);
    const Numbers& weights = weights_[i];
    if (numbers.size() != weights.size()) return std::numeric_limits<double>::quiet_NaN();
    for (size_t k = 0; k < numbers.size(); ++k) {
      if (weights[k] != 0) sum += weights[k] * numbers[k];
    }
  }
  return sum;
}

double SlopeMeasurement::sum_at(double step, std::optional<size_t> only) const {
  const AttentionScope unrecorded(kAttentionGradOff, true);
  const Outcome outcome = run_example(line_.at(step, only));
  if (outcome.is_refused()) return std::numeric_limits<double>::quiet_NaN();
  return sum_of(outputs_of(outcome));
}

std::optional<Slopes> SlopeMeasurement::measure(std::optional<size_t> only) const {
  if (only) return compare(slopes_[*only], sizes_[*only], only);
  return compare(total(slopes_), total(sizes_), only);
}

std::optional<Slopes> SlopeMeasurement::measure_forward() const {
  const Example middle = line_.at(0);
  std::vector<Tensor> primals;
  std::vector<Tensor> tangents;
  for (size_t i = 0; i < line_.moved().size(); ++i) {
    primals.push_back(middle.tensors()[line_.moved()[i]]);
    tangents.push_back(tensor_of(line_.direction(i), primals.back()));
  }
  auto body = [&](std::span<const Tensor> given) {
    const std::vector<Tensor> outputs = call_with(middle, line_.moved(), given);
    FunctionOutputs summed;
    for (const size_t place : summed_) summed.outputs.push_back(outputs[place]);
    return summed;
  };
  const std::vector<Tensor> pushed = jvp_function(primals, tangents, FunctionBody(body)).tangents;
  double slope = 0;
  double size = 0;
  for (size_t i = 0; i < pushed.size(); ++i) {
    const Numbers numbers = pushed[i].is_defined() ? numbers_of(pushed[i]) : Numbers();
    for (size_t k = 0; k < numbers.size(); ++k) {
      if (weights_[i][k] == 0) continue;
      slope += numbers[k] * weights_[i][k];
      size += std::abs(numbers[k] * weights_[i][k]);
    }
  }
  return compare(slope, size, std::nullopt);
}

// Rounded values are constant nearby and change further away: differences do not show the slope
// that a formula assumes.
bool SlopeMeasurement::goes_in_steps(std::optional<size_t> only) const {
  constexpr double kFurther[] = {1, -1, 8, -8};
  return std::ranges::any_of(kFurther, [&](double step) {
    const double there = sum_at(step, only);
    return !std::isnan(there) && there != middle_;
  });
}

std::optional<Slopes> SlopeMeasurement::compare(double formula, double size,
                                                std::optional<size_t> only) const {
  const double step = step_of(precision_);
  const double above = sum_at(step / 2, only);
  const double below = sum_at(-step / 2, only);
  const double near = (above - below) / step;
  const double far = (sum_at(step, only) - sum_at(-step, only)) / (2 * step);

  if (near == 0 && far == 0 && formula != 0 && goes_in_steps(only)) return std::nullopt;
  const double scale = size + std::abs(near);
  const double noise = 32 * precision_ * magnitude_ / step;
  const double tolerance = tolerance_of(precision_) * scale + noise;
  const double bend = ((above - middle_) - (middle_ - below)) / (step / 2);
  const bool is_straight = std::abs(near - far) <= tolerance / 2 &&
                           std::abs(bend) <= (is_fine(precision_) ? 0.01 : 0.1) * scale + noise;
  if (!is_straight) return std::nullopt;
  return Slopes{
      .by_formula = formula, .by_differences = (4 * near - far) / 3, .tolerance = tolerance};
}

}  // namespace opwright
