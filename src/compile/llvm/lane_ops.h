// One lane operation as instructions.
#pragma once

#include <span>

#include "opwright/compile/fuse/nest.h"
#include "opwright/compile/llvm/ir_builder.h"
#include "opwright/dtype.h"

namespace opwright {

// Of any operation but Load, Constant, Number and folds. `dtype` is that of the (last) argument;
// all have one width.
IrValue emit_lane(IrBuilder& b, const Lane& lane, DType dtype, std::span<const IrValue> args);

// The step of a fold: `op` of what was joined and the next.
IrValue emit_fold_step(IrBuilder& b, LaneOp op, DType dtype, const IrValue& a, const IrValue& next);
// What it starts with, and joins without a change.
IrValue fold_identity(LaneOp op, DType dtype, IrType type);
// One value of the lanes of a vector.
IrValue emit_fold_lanes(IrBuilder& b, LaneOp op, DType dtype, const IrValue& vector);

// As the conversion of tensors.
IrValue emit_cast(IrBuilder& b, const IrValue& x, DType from, DType to);

}  // namespace opwright
