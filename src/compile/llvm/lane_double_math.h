// Elementary functions of float64 lanes: fdlibm's polynomials without its branches. Their error is
// a few units in the last place.
#pragma once

#include "opwright/compile/llvm/ir_builder.h"

namespace opwright::lane_math {

IrValue exp_double(IrBuilder& b, const IrValue& x);
IrValue exp2_double(IrBuilder& b, const IrValue& x);
IrValue expm1_double(IrBuilder& b, const IrValue& x);
IrValue log_double(IrBuilder& b, const IrValue& x);
IrValue log2_double(IrBuilder& b, const IrValue& x);
IrValue log10_double(IrBuilder& b, const IrValue& x);
IrValue log1p_double(IrBuilder& b, const IrValue& x);
IrValue tanh_double(IrBuilder& b, const IrValue& x);
IrValue sigmoid_double(IrBuilder& b, const IrValue& x);

}  // namespace opwright::lane_math
