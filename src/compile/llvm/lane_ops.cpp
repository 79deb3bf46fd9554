#include "opwright/compile/llvm/lane_ops.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "opwright/c_api.h"
#include "opwright/compile/fuse/nest.h"
#include "opwright/compile/llvm/ir_builder.h"
#include "opwright/compile/llvm/lane_angles.h"
#include "opwright/compile/llvm/lane_division.h"
#include "opwright/compile/llvm/lane_double_math.h"
#include "opwright/compile/llvm/lane_math.h"
#include "opwright/compile/llvm/lane_memory.h"
#include "opwright/compile/llvm/lane_wide_math.h"
#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright {
namespace {

bool is_signed(DType dtype) { return dtype_code(dtype) == kOpwDtypeInt; }

IrValue arithmetic(IrBuilder& b, LaneOp op, bool is_float, const IrValue& x, const IrValue& y) {
  const auto [of_floats, of_ints] = [&]() -> std::pair<const char*, const char*> {
    switch (op) {
      case LaneOp::Add:
        return {"fadd", "add"};
      case LaneOp::Subtract:
        return {"fsub", "sub"};
      default:
        return {"fmul", "mul"};
    }
  }();
  if (x.type.kind == IrKind::I1) {  // bools: or, and
    return b.binary(op == LaneOp::Add ? "or" : op == LaneOp::Multiply ? "and" : "xor", x, y);
  }
  return b.binary(is_float ? of_floats : of_ints, x, y);
}

bool is_literal(const IrValue& x) { return x.text[0] != '%'; }

// Propagates NaN of either side; either of two zeros may be returned.
IrValue extreme(IrBuilder& b, LaneOp op, DType dtype, const IrValue& x, const IrValue& y) {
  const bool is_maximum = op == LaneOp::Maximum;
  if (x.type.kind == IrKind::I1) return b.binary(is_maximum ? "or" : "and", x, y);
  if (!x.type.is_float()) {
    const char* of_signed = is_maximum ? "llvm.smax" : "llvm.smin";
    const char* of_unsigned = is_maximum ? "llvm.umax" : "llvm.umin";
    return b.call(is_signed(dtype) ? of_signed : of_unsigned, x.type, {x, y});
  }
  // Constants written by authors are not NaN: one instruction instead of three.
  const IrValue& limit = is_literal(x) ? x : y;
  if (is_literal(limit) && limit.text.find("FF8000") == std::string::npos) {
    const IrValue& other = is_literal(x) ? y : x;
    return is_maximum ? b.at_least(other, limit) : b.at_most(other, limit);
  }
  return b.call(is_maximum ? "llvm.maximum" : "llvm.minimum", x.type, {x, y}, "nsz ");
}

IrValue comparison(IrBuilder& b, LaneOp op, DType dtype, const IrValue& x, const IrValue& y) {
  struct Spelling {
    const char *of_floats, *of_signed, *of_unsigned;
  };
  const Spelling spelling = [&]() -> Spelling {
    switch (op) {
      case LaneOp::Equal:
        return {"fcmp oeq", "icmp eq", "icmp eq"};
      case LaneOp::NotEqual:
        return {"fcmp une", "icmp ne", "icmp ne"};
      case LaneOp::Less:
        return {"fcmp olt", "icmp slt", "icmp ult"};
      case LaneOp::LessEqual:
        return {"fcmp ole", "icmp sle", "icmp ule"};
      case LaneOp::Greater:
        return {"fcmp ogt", "icmp sgt", "icmp ugt"};
      default:
        return {"fcmp oge", "icmp sge", "icmp uge"};
    }
  }();
  if (x.type.is_float()) return b.compare(spelling.of_floats, x, y);
  return b.compare(is_signed(dtype) ? spelling.of_signed : spelling.of_unsigned, x, y);
}

IrValue function_of_double(IrBuilder& b, LaneOp op, const IrValue& x) {
  namespace math = lane_math;
  switch (op) {
    case LaneOp::Exp:
      return math::exp_double(b, x);
    case LaneOp::Exp2:
      return math::exp2_double(b, x);
    case LaneOp::Expm1:
      return math::expm1_double(b, x);
    case LaneOp::Log:
      return math::log_double(b, x);
    case LaneOp::Log2:
      return math::log2_double(b, x);
    case LaneOp::Log10:
      return math::log10_double(b, x);
    case LaneOp::Log1p:
      return math::log1p_double(b, x);
    case LaneOp::Tanh:
      return math::tanh_double(b, x);
    case LaneOp::Sigmoid:
      return math::sigmoid_double(b, x);
    default:
      break;
  }
  OPWRIGHT_CHECK(false, "emit: ", lane_op_name(op), " of float64 cannot be emitted");
}

IrValue function_of_float(IrBuilder& b, LaneOp op, const IrValue& x) {
  namespace math = lane_math;
  if (x.type.kind == IrKind::Double && is_costly(op)) return function_of_double(b, op, x);
  switch (op) {
    case LaneOp::Floor:
      return b.call("llvm.floor", x.type, {x});
    case LaneOp::Ceil:
      return b.call("llvm.ceil", x.type, {x});
    case LaneOp::Trunc:
      return b.call("llvm.trunc", x.type, {x});
    case LaneOp::RoundEven:
      return b.call("llvm.roundeven", x.type, {x});
    case LaneOp::SquareRoot:
      return b.call("llvm.sqrt", x.type, {x});
    case LaneOp::ReciprocalSquareRoot:
      return math::rsqrt(b, x);
    case LaneOp::Exp:
      return math::exp(b, x);
    case LaneOp::Exp2:
      return math::exp2(b, x);
    case LaneOp::Expm1:
      return math::expm1(b, x);
    case LaneOp::Log:
      return math::log(b, x);
    case LaneOp::Log2:
      return math::log2(b, x);
    case LaneOp::Log10:
      return math::log10(b, x);
    case LaneOp::Log1p:
      return math::log1p(b, x);
    case LaneOp::Sin:
      return math::sin(b, x);
    case LaneOp::Cos:
      return math::cos(b, x);
    case LaneOp::Tanh:
      return math::tanh(b, x);
    case LaneOp::Sigmoid:
      return math::sigmoid(b, x);
    case LaneOp::Erf:
      return math::erf(b, x);
    default:
      break;
  }
  OPWRIGHT_CHECK(false, "emit: ", lane_op_name(op), " cannot be emitted");
}

IrValue absolute(IrBuilder& b, DType dtype, const IrValue& x) {
  if (x.type.is_float()) return b.absolute(x);
  if (!is_signed(dtype)) return x;
  const IrValue negative = b.binary("sub", IrBuilder::integer(x.type, 0), x);
  return b.call("llvm.smax", x.type, {x, negative});
}

IrValue shift(IrBuilder& b, LaneOp op, DType dtype, const IrValue& x, const IrValue& by) {
  // A shift by the width or more is not an instruction: it is replaced by the shift of all bits.
  const auto bits = static_cast<int64_t>(bits_of(x.type.kind));
  const IrValue is_inside = b.compare("icmp ult", by, IrBuilder::integer(by.type, bits));
  const bool keeps_sign = op == LaneOp::ShiftRight && is_signed(dtype);
  if (keeps_sign) {
    const IrValue most = b.select(is_inside, by, IrBuilder::integer(by.type, bits - 1));
    return b.binary("ashr", x, most);
  }
  const IrValue safe = b.select(is_inside, by, IrBuilder::integer(by.type, 0));
  const IrValue shifted = b.binary(op == LaneOp::ShiftLeft ? "shl" : "lshr", x, safe);
  return b.select(is_inside, shifted, IrBuilder::integer(x.type, 0));
}

}  // namespace

IrValue emit_cast(IrBuilder& b, const IrValue& x, DType from, DType to) {
  if (from == to) return x;
  const IrKind kind = lane_kind(to);
  if (to == DType::Bool) {
    if (x.type.is_float()) return b.compare("fcmp une", x, IrBuilder::number(x.type, 0));
    return b.compare("icmp ne", x, IrBuilder::integer(x.type, 0));
  }
  if (from == DType::Bool) {
    return b.convert(kind == IrKind::Float || kind == IrKind::Double ? "uitofp" : "zext", x, kind);
  }
  if (x.type.is_float()) {
    if (kind == IrKind::Double) return b.convert("fpext", x, kind);
    if (kind == IrKind::Float) return b.convert("fptrunc", x, kind);
    return float_to_int(b, x, to);
  }
  if (kind == IrKind::Float || kind == IrKind::Double)
    return b.convert(is_signed(from) ? "sitofp" : "uitofp", x, kind);
  if (bits_of(kind) < bits_of(x.type.kind)) return b.convert("trunc", x, kind);
  return b.convert(is_signed(from) ? "sext" : "zext", x, kind);
}

IrValue emit_lane(IrBuilder& b, const Lane& lane, DType dtype, std::span<const IrValue> args) {
  const IrValue& x = args[0];
  const IrValue& y = args[args.size() - 1];
  const bool is_float = x.type.is_float();
  switch (lane.op) {
    case LaneOp::Add:
    case LaneOp::Subtract:
    case LaneOp::Multiply:
      return arithmetic(b, lane.op, is_float, x, y);
    case LaneOp::Divide:
      return b.divide(x, y);
    case LaneOp::DivideTrunc:
    case LaneOp::DivideFloor:
    case LaneOp::Remainder:
    case LaneOp::Fmod:
      return emit_division(b, lane.op, dtype, x, y);
    case LaneOp::Negate:
      return is_float ? b.negate(x) : b.binary("sub", IrBuilder::integer(x.type, 0), x);
    case LaneOp::Absolute:
      return absolute(b, dtype, x);
    case LaneOp::Minimum:
    case LaneOp::Maximum:
      return extreme(b, lane.op, dtype, x, y);
    case LaneOp::FusedMultiplyAdd:
      return b.fma(x, args[1], y);
    case LaneOp::CopySign:
      return b.copysign(x, y);
    case LaneOp::Equal:
    case LaneOp::NotEqual:
    case LaneOp::Less:
    case LaneOp::LessEqual:
    case LaneOp::Greater:
    case LaneOp::GreaterEqual:
      return comparison(b, lane.op, dtype, x, y);
    case LaneOp::IsNan:
      return is_float ? b.compare("fcmp uno", x, x) : IrBuilder::integer(x.type.of(IrKind::I1), 0);
    case LaneOp::And:
      return b.binary("and", x, y);
    case LaneOp::Or:
      return b.binary("or", x, y);
    case LaneOp::Xor:
      return b.binary("xor", x, y);
    case LaneOp::Not:
      return b.binary("xor", x, IrBuilder::integer(x.type, -1));
    case LaneOp::ShiftLeft:
    case LaneOp::ShiftRight:
      return shift(b, lane.op, dtype, x, y);
    case LaneOp::Select:
      return b.select(x, args[1], y);
    case LaneOp::Cast:
      return emit_cast(b, x, dtype, lane.dtype);
    case LaneOp::Power:
      return lane_math::pow(b, x, y);
    case LaneOp::RoundHalf:
      return round_half(b, x, lane.half);
    default:
      return function_of_float(b, lane.op, x);
  }
}

IrValue emit_fold_step(IrBuilder& b, LaneOp op, DType dtype, const IrValue& a,
                       const IrValue& next) {
  switch (op) {
    case LaneOp::FoldSum:
      return arithmetic(b, LaneOp::Add, a.type.is_float(), a, next);
    case LaneOp::FoldProduct:
      return arithmetic(b, LaneOp::Multiply, a.type.is_float(), a, next);
    case LaneOp::FoldMinimum:
      return extreme(b, LaneOp::Minimum, dtype, a, next);
    case LaneOp::FoldMaximum:
      return extreme(b, LaneOp::Maximum, dtype, a, next);
    case LaneOp::FoldAnd:
      return b.binary("and", a, next);
    default:
      return b.binary("or", a, next);
  }
}

IrValue fold_identity(LaneOp op, DType dtype, IrType type) {
  const bool is_maximum = op == LaneOp::FoldMaximum;
  switch (op) {
    case LaneOp::FoldSum:
      return type.is_float() ? IrBuilder::number(type, 0) : IrBuilder::integer(type, 0);
    case LaneOp::FoldProduct:
      return type.is_float() ? IrBuilder::number(type, 1) : IrBuilder::integer(type, 1);
    case LaneOp::FoldAnd:
      return IrBuilder::integer(type, -1);
    case LaneOp::FoldOr:
      return IrBuilder::integer(type, 0);
    default:
      break;
  }
  if (type.is_float()) {
    const double infinity = std::numeric_limits<double>::infinity();
    return IrBuilder::number(type, is_maximum ? -infinity : infinity);
  }
  if (type.kind == IrKind::I1) return IrBuilder::integer(type, is_maximum ? 0 : 1);
  if (!is_signed(dtype)) return IrBuilder::integer(type, is_maximum ? 0 : -1);
  const uint32_t bits = bits_of(type.kind);
  const int64_t lowest = std::numeric_limits<int64_t>::min() >> (64 - bits);
  return IrBuilder::integer(type, is_maximum ? lowest : ~lowest);
}

IrValue emit_fold_lanes(IrBuilder& b, LaneOp op, DType dtype, const IrValue& vector) {
  if (vector.type.width == 1) return vector;
  const IrType type{vector.type.kind};
  const bool is_bool = type.kind == IrKind::I1;
  if (type.is_float() && (op == LaneOp::FoldSum || op == LaneOp::FoldProduct)) {
    // reassoc: a tree, not a chain.
    const bool is_sum = op == LaneOp::FoldSum;
    const IrValue neutral = IrBuilder::number(type, is_sum ? -0.0 : 1.0);
    return b.call(is_sum ? "llvm.vector.reduce.fadd" : "llvm.vector.reduce.fmul", type,
                  {neutral, vector}, "reassoc ");
  }
  const std::string_view name = [&]() -> std::string_view {
    const bool is_min = op == LaneOp::FoldMinimum;
    switch (op) {
      case LaneOp::FoldSum:
        return is_bool ? "or" : "add";
      case LaneOp::FoldProduct:
        return is_bool ? "and" : "mul";
      case LaneOp::FoldAnd:
        return "and";
      case LaneOp::FoldOr:
        return "or";
      default:
        break;
    }
    if (is_bool) return is_min ? "and" : "or";
    if (type.is_float()) return is_min ? "fminimum" : "fmaximum";
    if (is_signed(dtype)) return is_min ? "smin" : "smax";
    return is_min ? "umin" : "umax";
  }();
  return b.call(std::string("llvm.vector.reduce.").append(name), type, {vector});
}

}  // namespace opwright
