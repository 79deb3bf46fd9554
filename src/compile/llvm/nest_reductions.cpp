// The reductions of a nest's passes: accumulators, blocks and totals.
#include <cstddef>
#include <cstdint>

#include "opwright/compile/fuse/nest.h"
#include "opwright/compile/llvm/ir_builder.h"
#include "opwright/compile/llvm/ir_loop.h"
#include "opwright/compile/llvm/lane_ops.h"
#include "opwright/compile/llvm/nest_emitter.h"
#include "opwright/compile/llvm/nest_schedule.h"
#include "opwright/dtype.h"

namespace opwright {

// A long chain of float additions loses precision: after kBlock steps it is added to a total, in
// double for float32, so that the error does not depend on the number of points.
void NestEmitter::start_folds(const NestPass& pass, uint32_t copies) {
  copies_ = copies;
  folds_.clear();
  int64_t chain = 1;
  for (const NestExtent& depth : nest_.depth)
    chain = depth.is_fixed() && chain < kBlock ? chain * depth.fixed : kBlock + 1;
  if (!plan_.is_column_outside) {
    const int64_t step = int64_t{width_} * copies;
    const bool is_short = nest_.columns.is_fixed() && nest_.columns.fixed <= step * kBlock;
    chain = is_short && chain <= kBlock ? chain * ((nest_.columns.fixed + step - 1) / step)
                                        : kBlock + 1;
  }
  for (const uint32_t lane : pass.folds) {
    const LaneOp op = nest_.lanes[lane].op;
    const DType dtype = nest_.lanes[nest_.lanes[lane].args[0]].dtype;
    const bool is_float = dtype == DType::Float32 || dtype == DType::Float64;
    folds_.push_back({lane, op, dtype, is_float && op == LaneOp::FoldSum && chain > kBlock});
  }
}

bool NestEmitter::is_blocked(const NestExtent& extent, int64_t step) const {
  if (extent.is_fixed() && extent.fixed <= step * kBlock) return false;
  for (const Fold& fold : folds_) {
    if (fold.has_total) return true;
  }
  return false;
}

size_t NestEmitter::num_states(const Fold& fold) const {
  return fold.has_total && !plan_.is_column_outside ? 1 : copies_;
}

IrValues NestEmitter::first_state() const {
  IrValues state;
  for (const Fold& fold : folds_) {
    const IrKind kind = fold.has_total ? IrKind::Double : lane_kind(fold.dtype);
    for (size_t i = 0; i < num_states(fold); ++i)
      state.push_back(fold_identity(fold.op, fold.dtype, {kind, width_}));
  }
  return state;
}

IrValues NestEmitter::open_block(const IrValues& state) const {
  IrValues accumulators;
  size_t place = 0;
  for (const Fold& fold : folds_) {
    const IrType type{lane_kind(fold.dtype), width_};
    for (size_t i = 0; i < copies_; ++i) {
      accumulators.push_back(fold.has_total ? fold_identity(fold.op, fold.dtype, type)
                                            : state[place + i]);
    }
    place += num_states(fold);
  }
  return accumulators;
}

IrValues NestEmitter::close_block(const IrValues& state, const IrValues& accumulators) {
  IrValues next;
  for (size_t i = 0; i < folds_.size(); ++i) {
    const Fold& fold = folds_[i];
    const size_t count = num_states(fold);
    for (size_t k = 0; k < count; ++k) {
      const IrValue& part = accumulators[i * copies_ + k];
      if (!fold.has_total) {
        next.push_back(part);
        continue;
      }
      const IrValue sum = count == 1 ? join(fold, accumulators, i * copies_, copies_) : part;
      next.push_back(b_.add(state[next.size()], b_.convert("fpext", sum, IrKind::Double)));
    }
  }
  return next;
}

// For the first accumulator of each reduction; the others are unchanged.
IrValues NestEmitter::close_rest(IrValues state, const IrValues& firsts) {
  size_t place = 0;
  for (size_t i = 0; i < folds_.size(); ++i) {
    const IrValue& first = firsts[i];
    state[place] = folds_[i].has_total
                       ? b_.add(state[place], b_.convert("fpext", first, IrKind::Double))
                       : first;
    place += num_states(folds_[i]);
  }
  return state;
}

void NestEmitter::finish_folds(const IrValues& state) {
  size_t place = 0;
  for (const Fold& fold : folds_) {
    const size_t count = num_states(fold);
    const IrKind kind = lane_kind(fold.dtype);
    if (plan_.is_column_outside) {
      for (size_t copy = 0; copy < count; ++copy)
        values_[copy][fold.lane] = b_.convert("fptrunc", state[place + copy], kind);
    } else {
      const IrValue vector = join(fold, state, place, count);
      const IrValue scalar = emit_fold_lanes(b_, fold.op, fold.dtype, vector);
      values_[0][fold.lane] = b_.convert("fptrunc", scalar, kind);
    }
    place += count;
  }
}

// As a tree.
IrValue NestEmitter::join(const Fold& fold, const IrValues& values, size_t first, size_t count) {
  if (count == 1) return values[first];
  const IrValue left = join(fold, values, first, count / 2);
  const IrValue right = join(fold, values, first + count / 2, count - count / 2);
  return emit_fold_step(b_, fold.op, fold.dtype, left, right);
}

}  // namespace opwright
