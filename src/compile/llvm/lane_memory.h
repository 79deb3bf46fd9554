// Lanes from memory and to it: vectors of neighbours, one element for all lanes, or element by
// element; halves and bools as they lie there.
#pragma once

#include <cstdint>

#include "opwright/compile/llvm/ir_builder.h"
#include "opwright/dtype.h"

namespace opwright {

// Which points of a vector exist.
struct LaneSpan {
  uint32_t width = 1;
  IrValue index = {};  // of the first column
  IrValue mask = {};   // not there: all
  IrValue count = {};  // i64, of those that exist, where there is a mask
};

// Of elements as they lie in memory.
[[nodiscard]] IrKind memory_kind(DType dtype);

struct LaneMemory {
  DType dtype{};
  IrValue base = {};    // at column 0
  IrValue stride = {};  // of columns; constant 0 and 1 are what they seem
};

// The element that all columns share.
IrValue load_scalar(IrBuilder& b, const LaneMemory& memory);
// A vector of memory that moves with the columns. Points that do not exist have some value.
IrValue load_lanes(IrBuilder& b, const LaneMemory& memory, const LaneSpan& span,
                   uint32_t vector_bytes);
void store_scalar(IrBuilder& b, const LaneMemory& memory, const IrValue& value);
void store_lanes(IrBuilder& b, const LaneMemory& memory, const IrValue& value, const LaneSpan& span,
                 uint32_t vector_bytes);

// float32 rounded as the half would hold it.
IrValue round_half(IrBuilder& b, const IrValue& x, DType half);

}  // namespace opwright
