#include "opwright/compile/llvm/lane_division.h"

#include <cstdint>
#include <limits>

#include "opwright/c_api.h"
#include "opwright/compile/fuse/nest.h"
#include "opwright/compile/llvm/ir_builder.h"
#include "opwright/compile/llvm/ir_loop.h"
#include "opwright/dtype.h"

namespace opwright {
namespace {

struct Division {
  IrValue quotient, rest;
};

// Towards zero. x86 has no division of int vectors; up to 32 bits they are exact in double.
Division divide_ints(IrBuilder& b, bool is_signed, const IrValue& x, const IrValue& y) {
  const IrValue zero = IrBuilder::integer(x.type, 0);
  const IrValue one = IrBuilder::integer(x.type, 1);
  // Zero and -1 must not reach the instruction, which would trap.
  IrValue divisor = b.select(b.compare("icmp eq", y, zero), one, y);
  const IrValue is_minus_one = b.compare("icmp eq", y, IrBuilder::integer(x.type, -1));
  if (is_signed) divisor = b.select(is_minus_one, one, divisor);
  IrValue quotient;
  if (bits_of(x.type.kind) <= 32) {
    const char* to_float = is_signed ? "sitofp" : "uitofp";
    const IrValue over = b.convert(to_float, x, IrKind::Double);
    const IrValue under = b.convert(to_float, divisor, IrKind::Double);
    quotient = b.convert(is_signed ? "fptosi" : "fptoui", b.divide(over, under), x.type.kind);
  } else {
    quotient = b.binary(is_signed ? "sdiv" : "udiv", x, divisor);
  }
  if (is_signed) quotient = b.select(is_minus_one, b.binary("sub", zero, x), quotient);
  return {quotient, b.binary("sub", x, b.binary("mul", quotient, y))};
}

IrValue of_ints(IrBuilder& b, LaneOp op, bool is_signed, const IrValue& x, const IrValue& y) {
  const Division division = divide_ints(b, is_signed, x, y);
  if (op == LaneOp::DivideTrunc) return division.quotient;
  if (op == LaneOp::Fmod) return division.rest;
  if (!is_signed) return op == LaneOp::DivideFloor ? division.quotient : division.rest;
  const IrValue zero = IrBuilder::integer(x.type, 0);
  const IrValue has_rest = b.compare("icmp ne", division.rest, zero);
  const IrValue is_crossed = b.compare("icmp slt", b.binary("xor", division.rest, y), zero);
  const IrValue is_moved = b.binary("and", has_rest, is_crossed);
  if (op == LaneOp::Remainder)
    return b.select(is_moved, b.binary("add", division.rest, y), division.rest);
  return b.select(is_moved, b.binary("sub", division.quotient, IrBuilder::integer(x.type, 1)),
                  division.quotient);
}

IrValue any_lane(IrBuilder& b, const IrValue& condition) {
  if (condition.type.width == 1) return condition;
  return b.call("llvm.vector.reduce.or", {IrKind::I1}, {condition});
}

// over - trunc(over / under) * under, exact for quotients below 2^52; the quotient may be one off.
IrValue rest_of_near(IrBuilder& b, const IrValue& over, const IrValue& under) {
  const IrValue quotient = b.divide(over, under);
  const IrValue whole = b.call("llvm.trunc", quotient.type, {quotient});
  const IrValue rest = b.fma(b.negate(whole), under, over);
  const IrValue is_below = b.compare("fcmp olt", rest, IrBuilder::number(rest.type, 0));
  const IrValue raised = b.select(is_below, b.add(rest, under), rest);
  const IrValue is_above = b.compare("fcmp oge", raised, under);
  return b.select(is_above, b.subtract(raised, under), raised);
}

// The magnitude of the remainder of a division towards zero, for doubles that were float32. Large
// quotients are reduced by forty bits at a time, in a loop that others never enter.
IrValue rest_of_floats(IrBuilder& b, const IrValue& x, const IrValue& y) {
  const IrValue under = b.absolute(y);
  const auto number = [&](double value) { return IrBuilder::number(x.type, value); };
  const double infinity = std::numeric_limits<double>::infinity();
  const IrValue is_usual = b.binary("and", b.compare("fcmp ogt", under, number(0)),
                                    b.compare("fcmp olt", b.absolute(x), number(infinity)));
  const IrValue far = b.multiply(under, number(0x1p50));
  const auto is_far = [&](const IrValue& over) {
    return b.binary("and", is_usual, b.compare("fcmp oge", over, far));
  };
  const IrValues near = emit_while(
      b, {b.absolute(x)}, [&](const IrValues& state) { return any_lane(b, is_far(state[0])); },
      [&](const IrValues& state) {
        const IrValue over_bits = b.bitcast(state[0], IrKind::I64);
        const IrValue under_bits = b.bitcast(under, IrKind::I64);
        const IrValue fraction = IrBuilder::integer(over_bits.type, 52);
        const IrValue apart = b.binary("sub", b.binary("lshr", over_bits, fraction),
                                       b.binary("lshr", under_bits, fraction));
        const IrValue by = b.binary("sub", apart, IrBuilder::integer(apart.type, 40));
        const IrValue scaled =
            b.bitcast(b.binary("add", under_bits, b.binary("shl", by, fraction)), IrKind::Double);
        return IrValues{b.select(is_far(state[0]), rest_of_near(b, state[0], scaled), state[0])};
      });
  const IrValue rest = rest_of_near(b, near[0], under);
  const IrValue is_wide = b.binary("and", b.compare("fcmp oeq", under, number(infinity)),
                                   b.compare("fcmp olt", near[0], number(infinity)));
  return b.select(is_wide, near[0], rest);
}

IrValue of_floats(IrBuilder& b, LaneOp op, const IrValue& x, const IrValue& y) {
  if (op == LaneOp::DivideTrunc) {
    const IrValue quotient = b.divide(x, y);
    return b.call("llvm.trunc", x.type, {quotient});
  }
  const IrValue size = rest_of_floats(b, b.convert("fpext", x, IrKind::Double),
                                      b.convert("fpext", y, IrKind::Double));
  IrValue rest = b.copysign(b.convert("fptrunc", size, x.type.kind), x);
  if (op == LaneOp::Fmod) return rest;
  const auto number = [&](double value) { return IrBuilder::number(x.type, value); };
  const IrValue zero = number(0);
  const IrValue is_crossed =
      b.binary("xor", b.compare("fcmp olt", y, zero), b.compare("fcmp olt", rest, zero));
  const IrValue is_moved = b.binary("and", b.compare("fcmp une", rest, zero), is_crossed);
  if (op == LaneOp::Remainder) return b.select(is_moved, b.add(rest, y), rest);
  // As in Python: the floor of the exact quotient, with the sign of a zero.
  const IrValue plain = b.divide(x, y);
  const IrValue near = b.divide(b.subtract(x, rest), y);
  const IrValue quotient = b.select(is_moved, b.subtract(near, number(1)), near);
  const IrValue floor = b.call("llvm.floor", x.type, {quotient});
  const IrValue is_above = b.compare("fcmp ogt", b.subtract(quotient, floor), number(0.5));
  const IrValue rounded = b.select(is_above, b.add(floor, number(1)), floor);
  const IrValue whole =
      b.select(b.compare("fcmp une", quotient, zero), rounded, b.copysign(zero, plain));
  return b.select(b.compare("fcmp oeq", y, zero), plain, whole);
}

}  // namespace

IrValue emit_division(IrBuilder& b, LaneOp op, DType dtype, const IrValue& x, const IrValue& y) {
  if (x.type.is_float()) return of_floats(b, op, x, y);
  return of_ints(b, op, dtype_code(dtype) == kOpwDtypeInt, x, y);
}

IrValue float_to_int(IrBuilder& b, const IrValue& x, DType to) {
  const auto number = [&](double value) { return IrBuilder::number(x.type, value); };
  const IrValue fits = b.binary("and", b.compare("fcmp oge", x, number(-0x1p63)),
                                b.compare("fcmp olt", x, number(0x1p63)));
  const IrValue wide = b.convert("fptosi", b.select(fits, x, number(0)), IrKind::I64);
  IrValue result =
      b.select(fits, wide, IrBuilder::integer(wide.type, std::numeric_limits<int64_t>::min()));
  if (to == DType::UInt64) {
    const IrValue is_upper = b.binary("and", b.compare("fcmp oge", x, number(0x1p63)),
                                      b.compare("fcmp olt", x, number(0x1p64)));
    const IrValue upper = b.select(is_upper, b.subtract(x, number(0x1p63)), number(0));
    const IrValue flipped = b.binary("xor", b.convert("fptosi", upper, IrKind::I64),
                                     IrBuilder::integer(wide.type, INT64_MIN));
    result = b.select(is_upper, flipped, result);
  }
  return b.convert("trunc", result, lane_kind(to));
}

}  // namespace opwright
