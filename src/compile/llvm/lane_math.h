// Elementary functions of float32 lanes as instructions, for vectors of any width and scalars.
//
// Branch-free except for large angles of sin and cos; they need FMA. The error of exp, log, tanh,
// erf, sin, cos, sigmoid and rsqrt is less than 2 units in the last place for all inputs.
#pragma once

#include <initializer_list>
#include <string>

#include "opwright/compile/llvm/ir_builder.h"

namespace opwright::lane_math {

IrValue exp(IrBuilder& b, const IrValue& x);
IrValue exp2(IrBuilder& b, const IrValue& x);
IrValue log(IrBuilder& b, const IrValue& x);
IrValue tanh(IrBuilder& b, const IrValue& x);
IrValue sigmoid(IrBuilder& b, const IrValue& x);
IrValue erf(IrBuilder& b, const IrValue& x);
IrValue rsqrt(IrBuilder& b, const IrValue& x);

// c[0] + c[1] x + c[2] x^2 ...
IrValue polynomial(IrBuilder& b, const IrValue& x, std::initializer_list<double> coefficients);

// The value of a logarithm outside the positive, finite numbers; `pole` is where it is -inf.
IrValue or_limit(IrBuilder& b, const IrValue& x, double pole, const IrValue& result);

// The integer nearest to x * factor, |.| < 2^22: as a float, and in the lowest bits of `bits`.
struct Rounded {
  IrValue whole, bits;
};
Rounded round_scaled(IrBuilder& b, const IrValue& x, double factor);
// 2^n, -126 <= n <= 127, for the n in the lowest bits.
IrValue power_of_two(IrBuilder& b, const IrValue& bits);

}  // namespace opwright::lane_math
