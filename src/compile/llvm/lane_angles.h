// sin and cos of float32 lanes, for all angles.
//
// Up to kFarAngle they are reduced by pi in three parts. Larger angles, detected by one test per
// vector, go through a cold function of the module that reduces lane by lane with 96 bits of 2/pi.
#pragma once

#include "opwright/compile/llvm/ir_builder.h"

namespace opwright::lane_math {

IrValue sin(IrBuilder& b, const IrValue& x);
IrValue cos(IrBuilder& b, const IrValue& x);

}  // namespace opwright::lane_math
