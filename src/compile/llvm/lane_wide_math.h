// Elementary functions of float32 lanes that are computed in double and rounded once: expm1,
// logarithms to other bases, log1p, pow.
#pragma once

#include "opwright/compile/llvm/ir_builder.h"

namespace opwright::lane_math {

IrValue expm1(IrBuilder& b, const IrValue& x);
IrValue log2(IrBuilder& b, const IrValue& x);
IrValue log10(IrBuilder& b, const IrValue& x);
IrValue log1p(IrBuilder& b, const IrValue& x);
IrValue pow(IrBuilder& b, const IrValue& x, const IrValue& y);

}  // namespace opwright::lane_math
