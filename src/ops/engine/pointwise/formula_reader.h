// Parses the formula of a pointwise operation (pointwise_formula.h) and emits it in another form:
// lanes of a nest, nodes of a foreign graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "opwright/dtype.h"

namespace opwright {

// Receives the parsed formula. A term is a number that the target chose for one of its values.
class FormulaTarget {
 public:
  virtual ~FormulaTarget() = default;

  // x, y, z and a, b, c by index; none if the call has no such operand.
  virtual std::optional<uint32_t> operand(size_t index) = 0;
  virtual std::optional<uint32_t> number(size_t index) = 0;
  // A literal of the compute dtype.
  virtual uint32_t literal(double value) = 0;
  // "add", "less_equal", "select", "exp": the names of lane operations. The arguments have one
  // dtype, except for the condition of "select". None: there is no such function.
  virtual std::optional<uint32_t> apply(std::string_view name, std::span<const uint32_t> args) = 0;

  [[nodiscard]] virtual bool is_truth(uint32_t term) const = 0;
  // Converts a truth value to 0 or 1 of the compute dtype; and a number to whether it is nonzero.
  virtual uint32_t to_number(uint32_t truth) = 0;
  virtual uint32_t to_truth(uint32_t number) = 0;
};

// Returns the term of the result. ValueError with the position for an invalid formula.
uint32_t read_formula(FormulaTarget& target, std::string_view text);

}  // namespace opwright
