// Divisions of lanes that are no single instruction, and floats made ints.
#pragma once

#include "opwright/compile/fuse/nest.h"
#include "opwright/compile/llvm/ir_builder.h"
#include "opwright/dtype.h"

namespace opwright {

// DivideTrunc, DivideFloor, Remainder, Fmod.
IrValue emit_division(IrBuilder& b, LaneOp op, DType dtype, const IrValue& x, const IrValue& y);

// Towards zero, as the conversion of the CPU: what the int cannot hold gives some int.
IrValue float_to_int(IrBuilder& b, const IrValue& x, DType to);

}  // namespace opwright
