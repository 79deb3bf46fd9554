// Reads the formula of a pointwise operation (pointwise_formula.h) for who writes it in another
// form: lanes of a nest, nodes of a foreign graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "opwright/dtype.h"

namespace opwright {

// What is made of a formula. A term is a number that the target chose for a value of it.
class FormulaTarget {
 public:
  virtual ~FormulaTarget() = default;

  // x, y, z and a, b, c by their places; none where the call has no such.
  virtual std::optional<uint32_t> operand(size_t index) = 0;
  virtual std::optional<uint32_t> number(size_t index) = 0;
  // Of the dtype that is computed in.
  virtual uint32_t literal(double value) = 0;
  // "add", "less_equal", "select", "exp": the names of lane operations. The arguments have one
  // dtype, but for the condition of "select". None: there is no such function.
  virtual std::optional<uint32_t> apply(std::string_view name, std::span<const uint32_t> args) = 0;

  [[nodiscard]] virtual bool is_truth(uint32_t term) const = 0;
  // A truth value as 0 or 1 of the dtype that is computed in; and a number as whether it is not 0.
  virtual uint32_t to_number(uint32_t truth) = 0;
  virtual uint32_t to_truth(uint32_t number) = 0;
};

// The term of the result. ValueError with the place for a text that is no formula.
uint32_t read_formula(FormulaTarget& target, std::string_view text);

}  // namespace opwright
