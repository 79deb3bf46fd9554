#include "opwright/compile/llvm/lane_wide_math.h"

#include <cstdint>
#include <limits>

#include "opwright/compile/llvm/ir_builder.h"
#include "opwright/compile/llvm/lane_constants.h"
#include "opwright/compile/llvm/lane_math.h"

namespace opwright::lane_math {
namespace {

IrValue widen(IrBuilder& b, const IrValue& x) { return b.convert("fpext", x, IrKind::Double); }
IrValue narrow(IrBuilder& b, const IrValue& x) { return b.convert("fptrunc", x, IrKind::Float); }

// 2^n and e^r - 1 where x = n ln 2 + r, |x| <= 700; twelve digits.
struct Exponential {
  IrValue scale, rest;
};
Exponential split_exp(IrBuilder& b, const IrValue& x) {
  const IrValue shifted = b.fma(x, constant(x, 1.4426950408889634), constant(x, kDoubleRounding));
  const IrValue minus = b.negate(b.subtract(shifted, constant(x, kDoubleRounding)));
  const IrValue r = b.fma(minus, constant(x, 1.90821492927058770002e-10),
                          b.fma(minus, constant(x, 0.693147180369123816490), x));
  const IrValue q =
      polynomial(b, r,
                 {0.5, 0.16666666719312481, 0.041666655640829359, 0.0083332983440230924,
                  0.0013890694896224627, 0.00019899390183679625, 2.3985609897938534e-05});
  const IrValue bits = b.bitcast(shifted, IrKind::I64);
  const IrValue power = b.binary("shl", b.binary("add", bits, whole(bits, 1023)), whole(bits, 52));
  return {b.bitcast(power, IrKind::Double), b.fma(b.multiply(q, r), r, r)};
}

// Values beyond give the same float32.
IrValue bounded_for_float(IrBuilder& b, const IrValue& x) {
  return b.at_most(b.at_least(x, constant(x, -200.0)), constant(x, 200.0));
}

// ln(x) of a positive, finite, normal x; twelve digits.
IrValue log_wide(IrBuilder& b, const IrValue& x) {
  constexpr int64_t kHalfRoot = 0x3fe6a09e667f3bcd;  // sqrt(1/2)
  const IrValue bits = b.bitcast(x, IrKind::I64);
  const IrValue above = b.binary("add", bits, whole(bits, (int64_t{1024} << 52) - kHalfRoot));
  const IrValue exponent = b.binary("lshr", above, whole(bits, 52));  // plus 1024
  const IrValue moved = b.binary("sub", exponent, whole(bits, 1024));
  const IrValue mantissa =
      b.bitcast(b.binary("sub", bits, b.binary("shl", moved, whole(bits, 52))), IrKind::Double);
  // An int below 2^51 as a double, by its bits.
  const IrValue biased =
      b.bitcast(b.binary("or", exponent, whole(bits, 0x4330000000000000)), IrKind::Double);
  const IrValue n = b.subtract(biased, constant(x, 4503599627371520.0));
  const IrValue t =
      b.divide(b.subtract(mantissa, constant(x, 1.0)), b.add(mantissa, constant(x, 1.0)));
  const IrValue p = polynomial(b, b.multiply(t, t),
                               {1.9999999999999469, 0.6666666667964497, 0.39999994870971811,
                                0.28572168415052901, 0.22174150760917444, 0.19609592916949259});
  return b.fma(n, constant(x, 0.69314718055994531), b.multiply(t, p));
}

IrValue log_to_base(IrBuilder& b, const IrValue& x, double factor) {
  const IrValue log = log_wide(b, widen(b, x));
  return or_limit(b, x, 0.0, narrow(b, b.multiply(log, constant(log, factor))));
}

}  // namespace

IrValue expm1(IrBuilder& b, const IrValue& x) {
  const IrValue wide = bounded_for_float(b, widen(b, x));
  const Exponential e = split_exp(b, wide);
  const IrValue result =
      narrow(b, b.fma(e.scale, e.rest, b.subtract(e.scale, constant(wide, 1.0))));
  return b.select(b.compare("fcmp oeq", x, constant(x, 0.0)), x, result);  // also -0
}

IrValue log2(IrBuilder& b, const IrValue& x) { return log_to_base(b, x, 1.4426950408889634); }
IrValue log10(IrBuilder& b, const IrValue& x) { return log_to_base(b, x, 0.43429448190325183); }

IrValue log1p(IrBuilder& b, const IrValue& x) {
  const IrValue wide = widen(b, x);
  const IrValue small = b.fma(b.multiply(wide, constant(wide, -0.5)), wide, wide);
  const IrValue large = log_wide(b, b.add(wide, constant(wide, 1.0)));
  const IrValue is_small =
      b.compare("fcmp olt", b.absolute(wide), constant(wide, 9.5367431640625e-07));
  return or_limit(b, x, -1.0, narrow(b, b.select(is_small, small, large)));
}

// e^(y ln |x|), then the special cases of negative, zero or infinite x and y.
IrValue pow(IrBuilder& b, const IrValue& x, const IrValue& y) {
  const IrValue magnitude = b.absolute(x);
  const IrValue wide = widen(b, magnitude);
  IrValue log = log_wide(b, wide);
  log = b.select(b.compare("fcmp oeq", wide, constant(wide, 0.0)), constant(wide, -kInfinity), log);
  log = b.select(b.compare("fcmp olt", wide, constant(wide, kInfinity)), log, wide);
  const IrValue product = bounded_for_float(b, b.multiply(widen(b, y), log));
  const Exponential e = split_exp(b, product);
  IrValue result = narrow(b, b.fma(e.scale, e.rest, e.scale));
  const IrValue is_one = b.compare("fcmp oeq", magnitude, constant(x, 1.0));
  const IrValue is_number = b.compare("fcmp ord", y, y);
  result = b.select(b.binary("and", is_one, is_number), constant(x, 1.0), result);
  // With a negative base, an odd exponent flips the sign and a non-integer exponent gives NaN.
  const IrValue bits = b.bitcast(x, IrKind::I32);
  const IrValue is_negative = b.compare("icmp slt", bits, whole(bits, 0));
  const IrValue is_whole = b.compare("fcmp oeq", b.call("llvm.trunc", y.type, {y}), y);
  const IrValue half = b.multiply(y, constant(y, 0.5));
  const IrValue is_halved = b.compare("fcmp oeq", b.call("llvm.trunc", y.type, {half}), half);
  const IrValue is_odd = b.binary("and", is_whole, b.binary("xor", is_halved, whole(is_halved, 1)));
  result = b.select(b.binary("and", is_negative, is_odd), b.negate(result), result);
  const IrValue is_usual = b.binary("and", b.compare("fcmp olt", x, constant(x, 0.0)),
                                    b.compare("fcmp ogt", x, constant(x, -kInfinity)));
  const IrValue has_none = b.binary("and", is_usual, b.binary("xor", is_whole, whole(is_whole, 1)));
  result = b.select(has_none, constant(x, std::numeric_limits<double>::quiet_NaN()), result);
  const IrValue is_certain = b.binary("or", b.compare("fcmp oeq", y, constant(y, 0.0)),
                                      b.compare("fcmp oeq", x, constant(x, 1.0)));
  return b.select(is_certain, constant(x, 1.0), result);
}

}  // namespace opwright::lane_math
