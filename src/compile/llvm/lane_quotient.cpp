#include "opwright/compile/llvm/lane_quotient.h"

#include <cstdint>

#include "opwright/compile/llvm/ir_builder.h"

namespace opwright {
namespace {

// divisor * scale is close to 1.
struct Divisor {
  IrValue scale, scaled, inverse;
};

Divisor make_divisor(IrBuilder& b, const IrValue& divisor, uint32_t width) {
  const bool is_single = divisor.type.kind == IrKind::Float;
  const IrKind ints = is_single ? IrKind::I32 : IrKind::I64;
  const int64_t one = int64_t{1} << (is_single ? 23 : 52);
  const int64_t exponents = is_single ? 255 : 2047;
  const IrValue bits = b.bitcast(divisor, ints);
  const auto whole = [&](int64_t value) { return IrBuilder::integer(bits.type, value); };
  const IrValue exponent = b.binary("and", bits, whole(exponents * one));
  const IrValue most = whole((exponents - 3) * one);
  const IrValue bounded = b.call("llvm.umin", bits.type, {exponent, most});
  const IrValue apart =
      b.bitcast(b.binary("sub", whole((exponents - 2) * one), bounded), divisor.type.kind);
  // Ordinary divisors stay unscaled, for the sake of subnormal dividends.
  const IrValue offset = b.binary("sub", exponent, whole(exponents / 4 * one));
  const IrValue is_usual = b.compare("icmp ult", offset, whole(exponents / 2 * one));
  const IrValue scale = b.select(is_usual, IrBuilder::number(divisor.type, 1), apart);
  const IrValue scaled = b.multiply(divisor, scale);
  const IrValue inverse = b.divide(IrBuilder::number(divisor.type, 1), scaled);
  return {b.splat(scale, width), b.splat(scaled, width), b.splat(inverse, width)};
}

}  // namespace

void prepare_divisor(IrBuilder& b, const IrValue& divisor, uint32_t width) {
  static_cast<void>(make_divisor(b, divisor, width));
}

IrValue divide_by_one(IrBuilder& b, const IrValue& x, const IrValue& divisor, bool is_share) {
  const Divisor by = make_divisor(b, divisor, x.type.width);
  const IrValue top = b.multiply(x, by.scale);
  IrValue quotient = b.multiply(top, by.inverse);
  if (is_share) return quotient;
  const IrValue rest = b.fma(b.negate(quotient), by.scaled, top);
  const IrValue corrected = b.fma(rest, by.inverse, quotient);
  // Infinities and zeros cannot be corrected.
  return b.select(b.compare("fcmp ord", corrected, corrected), corrected, quotient);
}

}  // namespace opwright
