// Vectors divided by one number: by its reciprocal, with the quotient corrected.
//
// A vector division takes as long as some fifteen multiplications. x * (1 / d) alone errs by up to
// 1.5 units, so that 6 / 3 is not 2; one correction step gives the correctly rounded quotient but
// for rare cases of one unit. The divisor is brought next to 1 by a power of two first: then also
// the largest and the subnormal ones, zero and infinity give what a division gives.
#pragma once

#include "opwright/compile/llvm/ir_builder.h"

namespace opwright {

// `x` is a vector of floats, `divisor` a scalar. A share of a sum (softmax) is not corrected: it
// errs by 1.5 units at most, less than the sum itself.
IrValue divide_by_one(IrBuilder& b, const IrValue& x, const IrValue& divisor, bool is_share);
// Makes what depends on the divisor alone, here: before a loop.
void prepare_divisor(IrBuilder& b, const IrValue& divisor, uint32_t width);

}  // namespace opwright
