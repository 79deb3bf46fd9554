// Emits one lane operation as instructions.
#pragma once

#include <span>

#include "opwright/compile/fuse/nest.h"
#include "opwright/compile/llvm/ir_builder.h"
#include "opwright/dtype.h"

namespace opwright {

// Any operation except Load, Constant, Number and reductions. `dtype` is that of the (last)
// argument; all have the same width.
IrValue emit_lane(IrBuilder& b, const Lane& lane, DType dtype, std::span<const IrValue> args);

// One step of a reduction: `op` of the accumulator and the next value.
IrValue emit_fold_step(IrBuilder& b, LaneOp op, DType dtype, const IrValue& a, const IrValue& next);
// The initial value of the accumulator: the identity of `op`.
IrValue fold_identity(LaneOp op, DType dtype, IrType type);
// Reduces the lanes of a vector to one value.
IrValue emit_fold_lanes(IrBuilder& b, LaneOp op, DType dtype, const IrValue& vector);

// Like the conversion of tensors.
IrValue emit_cast(IrBuilder& b, const IrValue& x, DType from, DType to);

}  // namespace opwright
