#include "opwright/compile/llvm/lane_double_math.h"

#include <cstdint>

#include "opwright/compile/llvm/ir_builder.h"
#include "opwright/compile/llvm/lane_constants.h"
#include "opwright/compile/llvm/lane_math.h"

namespace opwright::lane_math {
namespace {

constexpr double kDoubleLn2High = 6.93147180369123816490e-01;
constexpr double kDoubleLn2Low = 1.90821492927058770002e-10;

// e^(high - low) - 1, where high - low is at most ln(2) / 2.
IrValue expm1_of_rest(IrBuilder& b, const IrValue& high, const IrValue& low) {
  const IrValue r = b.subtract(high, low);
  const IrValue t = b.multiply(r, r);
  const IrValue p = polynomial(
      b, t,
      {1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05,
       -1.65339022054652515390e-06, 4.13813679705723846039e-08});
  const IrValue c = b.fma(b.negate(t), p, r);
  const IrValue quotient = b.divide(b.multiply(r, c), b.subtract(constant(r, 2.0), c));
  return b.subtract(high, b.subtract(low, quotient));
}

// n in the lowest bits, and e^(x - n ln 2) - 1.
struct ReducedDouble {
  IrValue bits, rest;
};
ReducedDouble reduce_exp_double(IrBuilder& b, const IrValue& x) {
  const IrValue shifted =
      b.fma(x, constant(x, 1.44269504088896338700), constant(x, kDoubleRounding));
  const IrValue n = b.subtract(shifted, constant(x, kDoubleRounding));
  const IrValue high = b.fma(b.negate(n), constant(x, kDoubleLn2High), x);
  const IrValue low = b.multiply(n, constant(x, kDoubleLn2Low));
  return {b.bitcast(shifted, IrKind::I64), expm1_of_rest(b, high, low)};
}

IrValue power_of_two_double(IrBuilder& b, const IrValue& n) {
  return b.bitcast(b.binary("shl", b.binary("add", n, whole(n, 1023)), whole(n, 52)),
                   IrKind::Double);
}

// m * 2^n by two factors, so that subnormal results and infinity are correct.
IrValue scale_double(IrBuilder& b, const IrValue& m, const IrValue& bits) {
  const IrValue n = b.binary("sub", bits, whole(bits, 0x4338000000000000));
  const IrValue half = b.binary("ashr", n, whole(n, 1));
  return b.multiply(b.multiply(m, power_of_two_double(b, half)),
                    power_of_two_double(b, b.binary("sub", n, half)));
}

IrValue bounded(IrBuilder& b, const IrValue& x, double low, double high) {
  return b.at_most(b.at_least(x, constant(x, low)), constant(x, high));
}

// ln of a positive, finite x.
IrValue log_of_positive(IrBuilder& b, const IrValue& x) {
  const IrValue is_tiny = b.compare("fcmp olt", x, constant(x, 0x1p-1022));
  const IrValue scaled = b.select(is_tiny, b.multiply(x, constant(x, 0x1p54)), x);
  const IrValue shift = b.select(is_tiny, constant(x, -54.0), constant(x, 0.0));
  const IrValue bits = b.bitcast(scaled, IrKind::I64);
  const IrValue above =
      b.binary("add", bits, whole(bits, (int64_t{1024} << 52) - 0x3fe6a09e667f3bcd));
  const IrValue exponent = b.binary("lshr", above, whole(bits, 52));  // plus 1024
  const IrValue moved =
      b.binary("shl", b.binary("sub", exponent, whole(bits, 1024)), whole(bits, 52));
  const IrValue mantissa = b.bitcast(b.binary("sub", bits, moved), IrKind::Double);
  const IrValue f = b.subtract(mantissa, constant(x, 1.0));
  const IrValue biased =
      b.bitcast(b.binary("or", exponent, whole(bits, 0x4330000000000000)), IrKind::Double);
  const IrValue k = b.add(b.subtract(biased, constant(x, 4503599627371520.0)), shift);
  const IrValue s = b.divide(f, b.add(f, constant(x, 2.0)));
  const IrValue z = b.multiply(s, s);
  const IrValue p = b.multiply(
      z, polynomial(b, z,
                    {6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
                     2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
                     1.479819860511658591e-01}));
  const IrValue square = b.multiply(b.multiply(f, constant(x, 0.5)), f);
  const IrValue tail = b.fma(k, constant(x, kDoubleLn2Low), b.multiply(s, b.add(square, p)));
  const IrValue rest = b.subtract(b.subtract(square, tail), f);
  return b.subtract(b.multiply(k, constant(x, kDoubleLn2High)), rest);
}

}  // namespace

IrValue exp_double(IrBuilder& b, const IrValue& x) {
  const ReducedDouble reduced = reduce_exp_double(b, bounded(b, x, -746.0, 710.0));
  return scale_double(b, b.add(reduced.rest, constant(x, 1.0)), reduced.bits);
}

IrValue exp2_double(IrBuilder& b, const IrValue& x) {
  const IrValue limited = bounded(b, x, -1076.0, 1025.0);
  const IrValue shifted = b.add(limited, constant(x, kDoubleRounding));
  const IrValue r = b.subtract(limited, b.subtract(shifted, constant(x, kDoubleRounding)));
  const IrValue high = b.multiply(r, constant(x, 0.69314718055994531));
  const IrValue low = b.negate(b.fma(r, constant(x, 2.3190468138462996e-17),
                                     b.fma(r, constant(x, 0.69314718055994531), b.negate(high))));
  const IrValue rest = expm1_of_rest(b, high, low);
  return scale_double(b, b.add(rest, constant(x, 1.0)), b.bitcast(shifted, IrKind::I64));
}

IrValue expm1_double(IrBuilder& b, const IrValue& x) {
  const IrValue limited = bounded(b, x, -60.0, 710.0);
  const ReducedDouble reduced = reduce_exp_double(b, limited);
  // 2^n (rest + 1) - 1; n = 1024 has no power of its own.
  const IrValue n = b.binary("sub", reduced.bits, whole(reduced.bits, 0x4338000000000000));
  const IrValue less = b.binary("sub", n, whole(n, 1));
  const IrValue half = power_of_two_double(b, less);
  const IrValue sum = b.fma(reduced.rest, half, b.add(half, constant(x, -0.5)));
  const IrValue doubled = b.add(sum, sum);
  const IrValue is_near = b.compare("icmp eq", n, whole(n, 0));
  const IrValue result = b.select(is_near, reduced.rest, doubled);
  return b.select(b.compare("fcmp oeq", x, constant(x, 0.0)), x, result);  // also -0
}

IrValue log_double(IrBuilder& b, const IrValue& x) {
  return or_limit(b, x, 0.0, log_of_positive(b, x));
}
IrValue log2_double(IrBuilder& b, const IrValue& x) {
  return b.multiply(log_double(b, x), constant(x, 1.4426950408889634));
}
IrValue log10_double(IrBuilder& b, const IrValue& x) {
  return b.multiply(log_double(b, x), constant(x, 0.43429448190325183));
}

// ln(u) of the rounded u = 1 + x, plus the rounding error.
IrValue log1p_double(IrBuilder& b, const IrValue& x) {
  const IrValue u = b.add(x, constant(x, 1.0));
  const IrValue lost = b.subtract(x, b.subtract(u, constant(x, 1.0)));
  const IrValue is_large = b.compare("fcmp ogt", x, constant(x, 0x1p53));
  const IrValue kept = b.select(is_large, constant(x, 0.0), lost);
  const IrValue log = b.add(log_of_positive(b, u), b.divide(kept, u));
  const IrValue is_one = b.compare("fcmp oeq", u, constant(x, 1.0));
  return or_limit(b, x, -1.0, b.select(is_one, x, log));
}

IrValue tanh_double(IrBuilder& b, const IrValue& x) {
  const IrValue magnitude = b.at_most(b.absolute(x), constant(x, 22.0));
  const IrValue e = expm1_double(b, b.add(magnitude, magnitude));
  return b.copysign(b.divide(e, b.add(e, constant(x, 2.0))), x);
}

IrValue sigmoid_double(IrBuilder& b, const IrValue& x) {
  const IrValue e = exp_double(b, b.negate(b.absolute(x)));
  const IrValue top = b.select(b.compare("fcmp olt", x, constant(x, 0.0)), e, constant(x, 1.0));
  return b.divide(top, b.add(e, constant(x, 1.0)));
}

}  // namespace opwright::lane_math
