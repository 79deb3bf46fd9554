// Loads and stores lanes: vectors of neighbours, one element for all lanes, or element by element;
// halves and bools in their memory format.
#pragma once

#include <cstdint>

#include "opwright/compile/llvm/ir_builder.h"
#include "opwright/dtype.h"

namespace opwright {

// Which points of a vector exist.
struct LaneSpan {
  uint32_t width = 1;
  IrValue index = {};  // of the first column
  IrValue mask = {};   // absent: all exist
  IrValue count = {};  // i64, the number of existing points; only with a mask
};

// Of elements in memory.
[[nodiscard]] IrKind memory_kind(DType dtype);

struct LaneMemory {
  DType dtype{};
  IrValue base = {};    // at column 0
  IrValue stride = {};  // between columns; only constants 0 and 1 are treated specially
};

// The element shared by all columns.
IrValue load_scalar(IrBuilder& b, const LaneMemory& memory);
// A vector of memory that varies along the columns. Points that do not exist have an unspecified
// value.
IrValue load_lanes(IrBuilder& b, const LaneMemory& memory, const LaneSpan& span,
                   uint32_t vector_bytes);
void store_scalar(IrBuilder& b, const LaneMemory& memory, const IrValue& value);
void store_lanes(IrBuilder& b, const LaneMemory& memory, const IrValue& value, const LaneSpan& span,
                 uint32_t vector_bytes);

// float32 rounded to the values of the half.
IrValue round_half(IrBuilder& b, const IrValue& x, DType half);

}  // namespace opwright
