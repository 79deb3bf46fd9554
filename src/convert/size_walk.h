// Sizes as nodes of a foreign graph: the walk over an expression, for every engine.
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
  Div,       // of operands that are not negative
  FloorDiv,  // of any
  Mod,       // with the sign of the divisor
  Max,
  Min,
  Equal,  // comparisons with 0, which is the second operand, as 0 and 1
  NotEqual,
  AtMost,
};

// The nodes of one engine; a node is known by a number.
class SizeTarget {
 public:
  virtual uint32_t number(int64_t value) = 0;
  // RuntimeError where nothing shows it.
  virtual uint32_t symbol(const std::string& name) = 0;
  virtual uint32_t compute(SizeOperation operation, uint32_t a, uint32_t b) = 0;

  // What was made of an expression before.
  [[nodiscard]] virtual std::optional<uint32_t> find(OpwSymWord size) const = 0;
  virtual void keep(OpwSymWord size, uint32_t node) = 0;

 protected:
  ~SizeTarget() = default;
};

// The node that computes a size.
[[nodiscard]] uint32_t write_size(SizeTarget& target, OpwSymWord size);

}  // namespace opwright
