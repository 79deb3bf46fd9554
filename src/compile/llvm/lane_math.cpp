#include "opwright/compile/llvm/lane_math.h"

#include <cstdint>
#include <initializer_list>
#include <limits>

#include "opwright/compile/llvm/ir_builder.h"
#include "opwright/compile/llvm/lane_constants.h"

// Coefficients are our own minimax fits of the named errors, each rounded to float32.
namespace opwright::lane_math {
namespace {

constexpr double kRounding = 12582912.0;  // 1.5 * 2^23: adding it rounds to an int
constexpr int64_t kRoundingBits = 0x4B400000;
constexpr double kLn2High = 0.693145751953125;
constexpr double kLn2Low = 1.428606765330187e-06;
constexpr double kLog2E = 1.4426950408889634;

// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2.
IrValue exp_rest(IrBuilder& b, const IrValue& r) {
  return polynomial(b, r, {0.5, 0x1.55549p-3, 0x1.5554c2p-5, 0x1.123adap-7, 0x1.6d7812p-10});
}

// e^r - 1 - r + last. One statement per step: compilers evaluate arguments in different orders, and
// the text of a nest must not depend on that.
IrValue add_exp_rest(IrBuilder& b, const IrValue& r, const IrValue& last) {
  const IrValue rest = exp_rest(b, r);
  const IrValue square = b.multiply(r, r);
  return b.fma(square, rest, last);
}

// n, in the lowest bits, and e^(x - n ln 2) - 1.
struct Reduced {
  Rounded n;
  IrValue rest;
};
Reduced reduce_exp(IrBuilder& b, const IrValue& x) {
  const Rounded n = round_scaled(b, x, kLog2E);
  const IrValue minus = b.negate(n.whole);
  const IrValue high = b.fma(minus, constant(x, kLn2High), x);
  const IrValue r = b.fma(minus, constant(x, kLn2Low), high);
  return {n, add_exp_rest(b, r, r)};
}

// m * 2^n by two factors, so that subnormal results and infinity are correct.
IrValue scale(IrBuilder& b, const IrValue& m, const Rounded& count) {
  if (b.has_scale(m.type)) return b.scale(m, count.whole);
  const IrValue& bits = count.bits;
  const IrValue n = b.binary("sub", bits, whole(bits, kRoundingBits));
  const IrValue half = b.binary("ashr", n, whole(n, 1));
  return b.multiply(b.multiply(m, power_of_two(b, half)),
                    power_of_two(b, b.binary("sub", n, half)));
}

}  // namespace

IrValue or_limit(IrBuilder& b, const IrValue& x, double pole, const IrValue& result) {
  const IrValue at_pole =
      b.select(b.compare("fcmp oeq", x, constant(x, pole)), constant(x, -kInfinity), result);
  const IrValue below = b.select(b.compare("fcmp olt", x, constant(x, pole)),
                                 constant(x, std::numeric_limits<double>::quiet_NaN()), at_pole);
  return b.select(b.compare("fcmp olt", x, constant(x, kInfinity)), below, x);
}

IrValue polynomial(IrBuilder& b, const IrValue& x, std::initializer_list<double> coefficients) {
  const double* c = coefficients.end() - 1;
  IrValue sum = constant(x, *c);
  while (c != coefficients.begin()) sum = b.fma(sum, x, constant(x, *--c));
  return sum;
}

Rounded round_scaled(IrBuilder& b, const IrValue& x, double factor) {
  const IrValue shifted = b.fma(x, constant(x, factor), constant(x, kRounding));
  return {b.subtract(shifted, constant(x, kRounding)), b.bitcast(shifted, IrKind::I32)};
}

IrValue power_of_two(IrBuilder& b, const IrValue& bits) {
  const IrValue shifted = b.binary("shl", bits, whole(bits, 23));
  return b.bitcast(b.binary("add", shifted, whole(bits, 0x3F800000)), IrKind::Float);
}

IrValue exp(IrBuilder& b, const IrValue& x) {
  const IrValue bounded = b.at_most(b.at_least(x, constant(x, -105.0)), constant(x, 89.0));
  const Reduced reduced = reduce_exp(b, bounded);
  return scale(b, b.add(reduced.rest, constant(x, 1.0)), reduced.n);
}

IrValue exp2(IrBuilder& b, const IrValue& x) {
  const IrValue bounded = b.at_most(b.at_least(x, constant(x, -151.0)), constant(x, 129.0));
  const Rounded n = round_scaled(b, bounded, 1.0);
  const IrValue r = b.multiply(b.subtract(bounded, n.whole), constant(x, 0.6931471805599453));
  const IrValue rest = add_exp_rest(b, r, r);
  return scale(b, b.add(rest, constant(x, 1.0)), n);
}

IrValue log(IrBuilder& b, const IrValue& x) {
  const IrValue is_tiny = b.compare("fcmp olt", x, constant(x, 0x1p-126));
  const IrValue scaled = b.select(is_tiny, b.multiply(x, constant(x, 0x1p24)), x);
  // The mantissa in [sqrt(1/2), sqrt(2)).
  const IrValue raw = b.bitcast(scaled, IrKind::I32);
  const IrValue bits = b.binary("sub", raw, whole(raw, 0x3F3504F3));
  const IrValue exponent = b.binary("ashr", bits, whole(bits, 23));
  const IrValue mantissa =
      b.binary("add", b.binary("and", bits, whole(bits, 0x007FFFFF)), whole(bits, 0x3F3504F3));
  const IrValue f = b.subtract(b.bitcast(mantissa, IrKind::Float), constant(x, 1.0));
  const IrValue count = b.convert("sitofp", exponent, IrKind::Float);
  const IrValue n = b.select(is_tiny, b.subtract(count, constant(x, 24.0)), count);
  const IrValue square = b.multiply(f, f);
  const IrValue rest = polynomial(b, f,
                                  {0x1.555554p-2, -0x1.000226p-2, 0x1.99a01ep-3, -0x1.54728cp-3,
                                   0x1.22d8f8p-3, -0x1.0d81f2p-3, 0x1.05602ep-3, -0x1.38cf2p-4});
  IrValue y = b.multiply(b.multiply(square, f), rest);
  y = b.fma(n, constant(x, kLn2Low), y);
  y = b.fma(square, constant(x, -0.5), y);
  y = b.fma(n, constant(x, kLn2High), b.add(f, y));
  y = b.select(b.compare("fcmp oeq", x, constant(x, kInfinity)), x, y);
  y = b.select(b.compare("fcmp ult", x, constant(x, 0.0)),
               constant(x, std::numeric_limits<double>::quiet_NaN()), y);
  return b.select(b.compare("fcmp oeq", x, constant(x, 0.0)), constant(x, -kInfinity), y);
}

// Below 0.6 an odd polynomial; above it 1 - 2 / (e^2|x| + 1), which scales down the error of exp.
IrValue tanh(IrBuilder& b, const IrValue& x) {
  const IrValue square = b.multiply(x, x);
  const IrValue rest = polynomial(
      b, square, {-0x1.55553ep-2, 0x1.1109b6p-3, -0x1.b898fp-5, 0x1.54b3e4p-6, -0x1.822ebap-8});
  const IrValue near = b.fma(b.multiply(square, x), rest, x);
  const IrValue magnitude = b.absolute(x);
  const IrValue bounded = b.at_most(magnitude, constant(x, 9.02));  // it is 1 from 9.011 on
  const Reduced reduced = reduce_exp(b, b.add(bounded, bounded));
  const IrValue power = power_of_two(b, reduced.n.bits);
  const IrValue below = b.fma(reduced.rest, power, b.add(power, constant(x, 1.0)));
  const IrValue far = b.subtract(constant(x, 1.0), b.divide(constant(x, 2.0), below));
  return b.copysign(b.select(b.compare("fcmp olt", magnitude, constant(x, 0.6)), near, far), x);
}

// Plain 1 / (1 + e^-x) has an error of 2.3 units. Here e^-|x| is a head and a tail until the last
// step, and the quotient is corrected.
IrValue sigmoid(IrBuilder& b, const IrValue& x) {
  const IrValue one = constant(x, 1.0);
  const IrValue a = b.at_least(b.negate(b.absolute(x)), constant(x, -105.0));
  const Rounded n = round_scaled(b, a, kLog2E);
  const IrValue minus = b.negate(n.whole);
  const IrValue exact = b.fma(minus, constant(x, kLn2High), a);
  const IrValue r = b.fma(minus, constant(x, kLn2Low), exact);
  const IrValue lost = b.fma(minus, constant(x, kLn2Low), b.subtract(exact, r));
  const IrValue tail = add_exp_rest(b, r, lost);
  const IrValue head = b.add(r, one);
  const IrValue rest = b.subtract(r, b.subtract(head, one));
  const IrValue e = scale(b, b.add(head, b.add(rest, tail)), n);
  const IrValue top = b.select(b.compare("fcmp olt", x, constant(x, 0.0)), e, one);
  const IrValue below = b.add(e, one);
  const IrValue below_tail = b.subtract(e, b.subtract(below, one));
  const IrValue inverse = b.divide(one, below);
  const IrValue quotient = b.multiply(top, inverse);
  const IrValue minus_quotient = b.negate(quotient);
  const IrValue remainder = b.fma(minus_quotient, below_tail, b.fma(minus_quotient, below, top));
  return b.fma(remainder, inverse, quotient);
}

// Below 1 an odd polynomial; above it 1 - e^q(|x|).
IrValue erf(IrBuilder& b, const IrValue& x) {
  const IrValue magnitude = b.absolute(x);
  const IrValue square = b.multiply(x, x);
  const IrValue small = polynomial(b, square,
                                   {0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2ce6p-4, -0x1.b7f71ap-6,
                                    0x1.53f224p-8, -0x1.a3515ep-11, 0x1.4771fcp-14});
  const IrValue near = b.fma(small, x, x);
  const IrValue t = b.at_most(magnitude, constant(x, 4.0));
  const IrValue large = polynomial(b, t,
                                   {-0x1.072364p-3, -0x1.458964p-1, -0x1.aea5c4p-4, 0x1.75c206p-6,
                                    -0x1.a2458ep-9, 0x1.bacbap-13});
  const Reduced reduced = reduce_exp(b, b.fma(large, t, b.negate(t)));
  const IrValue power = power_of_two(b, reduced.n.bits);
  const IrValue far = b.subtract(constant(x, 1.0), b.fma(reduced.rest, power, power));
  return b.select(b.compare("fcmp olt", magnitude, constant(x, 1.0)), near, b.copysign(far, x));
}

IrValue rsqrt(IrBuilder& b, const IrValue& x) {
  return b.divide(constant(x, 1.0), b.call("llvm.sqrt", x.type, {x}));
}

}  // namespace opwright::lane_math
