// How fast the results of an operator change along a line of examples: by its formula and by
// differences of values.
//
// Results are one number, the sum of all that carry a gradient with random weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "opwright/check/example/example.h"
#include "opwright/check/example/example_line.h"
#include "opwright/check/example/recorded_call.h"
#include "opwright/tensor.h"

namespace opwright {

struct Slopes {
  double by_formula;
  double by_differences;
  double tolerance;

  [[nodiscard]] bool agree() const noexcept;
};

class SlopeMeasurement {
 public:
  // Calls the operator in the middle of the line. Error: as the backward throws it.
  SlopeMeasurement(const ExampleLine& line, uint64_t seed);

  // Whether the call gave results that carry a gradient, the same ones again when it is repeated.
  [[nodiscard]] bool is_usable() const noexcept { return is_usable_; }
  // Along the line, or along the part of it that moves one of ExampleLine::moved(). Nothing: values
  // change there in a way that has no slope, by a corner, a jump, rounding or noise.
  [[nodiscard]] std::optional<Slopes> measure(std::optional<size_t> only = std::nullopt) const;
  // The same with the slope that forward mode gives along the line as `by_formula`.
  [[nodiscard]] std::optional<Slopes> measure_forward() const;

 private:
  [[nodiscard]] double sum_of(const std::vector<Tensor>& outputs) const;
  [[nodiscard]] std::optional<Slopes> compare(double formula, double size,
                                              std::optional<size_t> only) const;
  [[nodiscard]] double sum_at(double step, std::optional<size_t> only) const;
  [[nodiscard]] bool goes_in_steps(std::optional<size_t> only) const;
  void weigh(const RecordedCall& call, uint64_t seed);

  const ExampleLine& line_;
  bool is_usable_ = false;
  std::vector<size_t> summed_;    // the outputs that carry a gradient
  std::vector<Numbers> weights_;  // of their elements; 0: left out
  std::vector<double> slopes_;    // by the formula, for each moved tensor
  std::vector<double> sizes_;     // of the terms of each of these
  double middle_ = 0;             // the sum there
  double magnitude_ = 0;          // of its terms
  double precision_ = 0;          // of the coarsest dtype in it
};

}  // namespace opwright
