// Divides vectors by one number: by its reciprocal, with the quotient corrected.
//
// A vector division takes as long as about fifteen multiplications. x * (1 / d) alone has an error
// of up to 1.5 units, so that 6 / 3 is not 2; one correction step returns the correctly rounded
// quotient except for rare cases of one unit. The divisor is first scaled close to 1 by a power of
// two, so that the largest and the subnormal divisors, zero and infinity give the same result as a
// division.
#pragma once

#include "opwright/compile/llvm/ir_builder.h"

namespace opwright {

// `x` is a vector of floats, `divisor` a scalar. A share of a sum (softmax) is not corrected: its
// error is at most 1.5 units, less than that of the sum itself.
IrValue divide_by_one(IrBuilder& b, const IrValue& x, const IrValue& divisor, bool is_share);
// Emits what depends on the divisor alone at the current position, before a loop.
void prepare_divisor(IrBuilder& b, const IrValue& divisor, uint32_t width);

}  // namespace opwright
