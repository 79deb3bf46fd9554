// Measures how fast the results of an operator change along a line of examples: by its formula and
// by finite differences.
//
// The results are reduced to one number: the sum of all that carry a gradient, with random weights.
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
  // Calls the operator in the middle of the line. Errors of the backward are passed on.
  SlopeMeasurement(const ExampleLine& line, uint64_t seed);

  // Whether the call returned results that carry a gradient, and the same ones when repeated.
  [[nodiscard]] bool is_usable() const noexcept { return is_usable_; }
  // Along the line, or along the part of it that moves one of ExampleLine::moved(). nullopt if the
  // values have no slope there: a corner, a jump, rounding or noise.
  [[nodiscard]] std::optional<Slopes> measure(std::optional<size_t> only = std::nullopt) const;
  // The same with the slope from forward mode as `by_formula`.
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
  std::vector<Numbers> weights_;  // of their elements; 0: ignored
  std::vector<double> slopes_;    // by the formula, per moved tensor
  std::vector<double> sizes_;     // sum of the magnitudes of each slope's terms
  double middle_ = 0;             // the sum in the middle
  double magnitude_ = 0;          // sum of the magnitudes of its terms
  double precision_ = 0;          // of its coarsest dtype
};

}  // namespace opwright
