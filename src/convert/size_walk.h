// Converts size expressions to nodes of a foreign graph, for all engines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "opwright/c_api.h"

namespace opwright {

enum class SizeOperation : uint8_t {
  Add,
  Sub,
  Mul,
  Div,       // of non-negative operands
  FloorDiv,  // of any operands
  Mod,       // with the sign of the divisor
  Max,
  Min,
  Equal,  // comparisons with 0, the second operand, as 0 and 1
  NotEqual,
  AtMost,
};

// Creates the nodes of one engine; a node is identified by a number.
class SizeTarget {
 public:
  virtual uint32_t number(int64_t value) = 0;
  // RuntimeError if no input shows it.
  virtual uint32_t symbol(const std::string& name) = 0;
  virtual uint32_t compute(SizeOperation operation, uint32_t a, uint32_t b) = 0;

  // The node created earlier for an expression.
  [[nodiscard]] virtual std::optional<uint32_t> find(OpwSymWord size) const = 0;
  virtual void keep(OpwSymWord size, uint32_t node) = 0;

 protected:
  ~SizeTarget() = default;
};

// The node that computes a size.
[[nodiscard]] uint32_t write_size(SizeTarget& target, OpwSymWord size);

}  // namespace opwright
