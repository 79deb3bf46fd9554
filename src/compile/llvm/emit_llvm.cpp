#include "opwright/compile/llvm/emit_llvm.h"

#include "opwright/c_api.h"
#include "opwright/compile/fuse/nest.h"
#include "opwright/compile/llvm/nest_emitter.h"
#include "opwright/dtype.h"
#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {
namespace {

bool is_int(DType dtype) {
  return dtype_code(dtype) == kOpwDtypeInt || dtype_code(dtype) == kOpwDtypeUInt;
}

bool can_emit_llvm(LaneOp op, DType dtype) noexcept {
  const bool is_single = dtype == DType::Float32;
  const bool is_float = is_single || dtype == DType::Float64;
  const bool is_bool = dtype == DType::Bool;
  const bool is_number = is_float || is_int(dtype);
  switch (op) {
    case LaneOp::Load:
      return is_number || is_bool || is_half(dtype);
    case LaneOp::Number:
      return dtype == DType::Int64;
    case LaneOp::Negate:
      return is_number;
    case LaneOp::Divide:
    case LaneOp::FusedMultiplyAdd:
    case LaneOp::CopySign:
    case LaneOp::Floor:
    case LaneOp::Ceil:
    case LaneOp::Trunc:
    case LaneOp::RoundEven:
    case LaneOp::SquareRoot:
    case LaneOp::ReciprocalSquareRoot:
    case LaneOp::Exp:
    case LaneOp::Exp2:
    case LaneOp::Expm1:
    case LaneOp::Log:
    case LaneOp::Log2:
    case LaneOp::Log10:
    case LaneOp::Log1p:
    case LaneOp::Tanh:
    case LaneOp::Sigmoid:
      return is_float;
    case LaneOp::DivideTrunc:
      return is_number;
    case LaneOp::DivideFloor:
    case LaneOp::Remainder:
    case LaneOp::Fmod:
      return is_int(dtype) || is_single;
    case LaneOp::Power:
    case LaneOp::Sin:
    case LaneOp::Cos:
    case LaneOp::Erf:
    case LaneOp::RoundHalf:
      return is_single;
    case LaneOp::And:
    case LaneOp::Or:
    case LaneOp::Xor:
    case LaneOp::Not:
    case LaneOp::FoldAnd:
    case LaneOp::FoldOr:
      return is_bool || is_int(dtype);
    case LaneOp::ShiftLeft:
    case LaneOp::ShiftRight:
      return is_int(dtype);
    default:
      return is_number || is_bool;
  }
}

class LlvmTarget final : public FusionTarget {
 public:
  [[nodiscard]] bool can_emit(LaneOp op, DType dtype) const noexcept override {
    return can_emit_llvm(op, dtype);
  }
};

}  // namespace

const FusionTarget& llvm_target() noexcept {
  static const LlvmTarget target;
  return target;
}

EmittedNest emit_llvm(const Nest& nest, const EmitTarget& target) {
  NestEmitter emitter(nest, target);
  EmittedNest emitted;
  emitted.ir = emitter.emit();
  emitted.scratch_bytes = emitter.schedule().scratch_bytes;
  return emitted;
}

}  // namespace opwright
