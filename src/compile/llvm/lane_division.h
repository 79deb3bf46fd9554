// Divisions of lanes that are not a single instruction, and conversion of floats to ints.
#pragma once

#include "opwright/compile/fuse/nest.h"
#include "opwright/compile/llvm/ir_builder.h"
#include "opwright/dtype.h"

namespace opwright {

// DivideTrunc, DivideFloor, Remainder, Fmod.
IrValue emit_division(IrBuilder& b, LaneOp op, DType dtype, const IrValue& x, const IrValue& y);

// Towards zero, like the CPU's conversion: values that the int cannot hold give an unspecified int.
IrValue float_to_int(IrBuilder& b, const IrValue& x, DType to);

}  // namespace opwright
