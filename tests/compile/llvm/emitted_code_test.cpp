// Emitted code through LLVM's library and our own loader, which rejects external references. The
// results of the code are tested by test_emitted_code.py and test_emitted_loops.py.
//
// Covers: src/compile/llvm/*.
#include "compile/emitted_code.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/compile/fuse/nest.h"
#include "opwright/compile/llvm/emit_llvm.h"
#include "opwright/dtype.h"

namespace opwright {
namespace {

constexpr DType kComputed[] = {DType::Bool,  DType::UInt8,   DType::Int8,   DType::UInt16,
                               DType::Int16, DType::UInt32,  DType::Int32,  DType::UInt64,
                               DType::Int64, DType::Float32, DType::Float64};

uint32_t num_args(LaneOp op) {
  switch (op) {
    case LaneOp::Select:
    case LaneOp::FusedMultiplyAdd:
      return 3;
    case LaneOp::Negate:
    case LaneOp::Absolute:
    case LaneOp::IsNan:
    case LaneOp::Not:
    case LaneOp::Cast:
    case LaneOp::RoundHalf:
      return 1;
    default:
      break;
  }
  const bool is_function = op >= LaneOp::Floor && op < LaneOp::Power;
  return is_function || is_fold(op) ? 1 : 2;
}

bool is_truth(LaneOp op) { return op >= LaneOp::Equal && op <= LaneOp::IsNan; }

// store(op(load, load, load)) of one dtype, rounded to a half if the result is float32.
Nest nest_of(LaneOp op, DType dtype, int64_t columns) {
  Nest nest;
  nest.columns = {.fixed = columns};
  if (columns < 0) nest.num_numbers = 1;
  nest.folds_columns = is_fold(op);
  const uint32_t count = num_args(op);
  Lane lane{.op = op, .dtype = is_truth(op) ? DType::Bool : dtype};
  for (uint32_t i = 0; i < count; ++i) {
    const DType loaded = op == LaneOp::Select && i == 0 ? DType::Bool : dtype;
    nest.operands.push_back({.dtype = loaded, .strides = {{true, 1}}});
    nest.lanes.push_back({.op = LaneOp::Load, .dtype = loaded, .operand = i});
    lane.args.push_back(i);
  }
  nest.lanes.push_back(lane);
  const DType stored = lane.dtype == DType::Float32 ? DType::Float16 : lane.dtype;
  const int64_t stride = is_fold(op) ? 0 : 1;
  nest.operands.push_back({.dtype = stored, .is_written = true, .strides = {{true, stride}}});
  nest.stores.push_back({.operand = count, .lane = count});
  return nest;
}

class EmittedCodeOf : public ::testing::TestWithParam<int> {};

TEST_P(EmittedCodeOf, EveryDtypeIsLoadedWithoutAnythingFromOutside) {
  if (!testing::can_compile()) GTEST_SKIP() << "LLVM's library is not here";
  const auto op = static_cast<LaneOp>(GetParam());
  for (const DType dtype : kComputed) {
    if (!llvm_target().can_emit(op, dtype)) continue;
    for (const int64_t columns : {int64_t{-1}, int64_t{4}, int64_t{1}}) {
      for (const uint32_t vector_bytes : testing::vector_sizes()) {
        EXPECT_NO_THROW(testing::EmittedCode(nest_of(op, dtype, columns), vector_bytes))
            << lane_op_name(op) << " of " << dtype_name_or_null(dtype) << " over " << columns;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(LaneOps, EmittedCodeOf,
                         ::testing::Range(static_cast<int>(LaneOp::Add),
                                          static_cast<int>(LaneOp::FoldOr) + 1),
                         [](const auto& parameter) {
                           return std::string(lane_op_name(static_cast<LaneOp>(parameter.param)));
                         });

}  // namespace
}  // namespace opwright
