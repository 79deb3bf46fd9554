#include "opwright/compile/llvm/nest_emitter.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "opwright/compile/fuse/nest.h"
#include "opwright/compile/llvm/emit_llvm.h"
#include "opwright/compile/llvm/ir_builder.h"
#include "opwright/compile/llvm/ir_loop.h"
#include "opwright/compile/llvm/lane_memory.h"
#include "opwright/compile/llvm/lane_ops.h"
#include "opwright/compile/llvm/lane_quotient.h"
#include "opwright/compile/llvm/nest_schedule.h"
#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright {
namespace {

// Runners split columns by this.
constexpr uint32_t kColumnGrain = 64;
// Vectors of columns that a short body processes at once: several accumulators hide the latency.
constexpr uint32_t kCopies = 4;

// Lanes per vector: the widest dtype fills a register, unless few lanes have it.
uint32_t find_width(const Nest& nest, const NestSchedule& plan, uint32_t vector_bytes) {
  uint32_t widest = 1;
  size_t wide = 0;
  size_t narrow = 0;
  for (size_t i = 0; i < nest.lanes.size(); ++i) {
    if (!plan.varies[i]) continue;
    const uint32_t bytes = static_cast<uint32_t>(dtype_bits(nest.lanes[i].dtype)) / 8;
    widest = std::max(widest, bytes);
    if (bytes == 8) ++wide;
    if (bytes == 4) ++narrow;
  }
  for (const NestOperand& operand : nest.operands) {
    if (operand.dtype == DType::Float16 || operand.dtype == DType::BFloat16)
      widest = std::max(widest, 4U);
  }
  if (widest == 8 && narrow > wide) widest = 4;
  const uint32_t width = vector_bytes / widest;
  if (!nest.columns.is_fixed()) return width;
  const auto columns = static_cast<uint64_t>(std::clamp<int64_t>(nest.columns.fixed, 1, 1024));
  return static_cast<uint32_t>(std::min<uint64_t>(width, std::bit_ceil(columns)));
}

DType compute_dtype(DType memory) {
  return memory == DType::Float16 || memory == DType::BFloat16 ? DType::Float32 : memory;
}

}  // namespace

NestEmitter::NestEmitter(const Nest& nest, const EmitTarget& target)
    : nest_(nest),
      target_(target),
      plan_(schedule_nest(nest)),
      b_(target.vector_bytes),
      width_(find_width(nest, plan_, target.vector_bytes)),
      values_(kCopies, IrValues(nest.lanes.size())),
      spans_(kCopies) {}

std::string NestEmitter::emit() {
  read_context();
  if (nest_.rows.empty()) {
    emit_row(IrBuilder::index(0));
  } else {
    emit_loop(b_, row_begin_, row_end_, 1, {}, [&](const IrValue& row, const IrValues&) {
      emit_row(row);
      return IrValues{};
    });
  }
  b_.perform("ret void");
  const uint32_t bits = target_.vector_bytes * 8;
  return fmt::format(
      "define void @{}(ptr noalias nocapture readonly %context) #0 {{\nentry:\n{}{}}}\n{}"
      "attributes #0 = {{ nounwind \"prefer-vector-width\"=\"{}\" "
      "\"min-legal-vector-width\"=\"{}\" }}\n",
      kNestFunction, b_.slots(), b_.text(), b_.support_text(), bits, bits);
}

void NestEmitter::read_context() {
  const auto word = [&](IrKind kind, uint32_t place) {
    const IrValue address =
        b_.address(IrKind::I64, {"%context", {IrKind::Pointer}}, IrBuilder::index(place));
    return b_.read({kind},
                   fmt::format("load {}, ptr {}, align 8", to_text(IrType{kind}), address.text));
  };
  if (!nest_.rows.empty()) {
    row_begin_ = word(IrKind::I64, NestContext::RowBegin);
    row_end_ = word(IrKind::I64, NestContext::RowEnd);
  }
  std::vector<bool> is_used(nest_.num_numbers);
  const auto use = [&](const NestExtent& extent) {
    if (!extent.is_fixed()) is_used[extent.number] = true;
  };
  std::ranges::for_each(nest_.rows, use);
  std::ranges::for_each(nest_.depth, use);
  use(nest_.columns);
  for (const Lane& lane : nest_.lanes) {
    if (lane.op == LaneOp::Number) is_used[static_cast<size_t>(lane.integer)] = true;
  }
  for (uint32_t i = 0; i < nest_.num_numbers; ++i)
    numbers_.push_back(is_used[i] ? word(IrKind::I64, NestContext::number(i)) : IrValue{});
  if (nest_.folds_columns) {
    column_begin_ = IrBuilder::index(0);
    column_end_ = extent(nest_.columns);
  } else {
    column_begin_ = word(IrKind::I64, NestContext::ColumnBegin);
    column_end_ = word(IrKind::I64, NestContext::ColumnEnd);
  }
  for (uint32_t i = 0; i < nest_.operands.size(); ++i) {
    pointers_.push_back(word(IrKind::Pointer, NestContext::pointer(nest_, i)));
    for (uint32_t loop = 0; loop < NestContext::num_loops(nest_); ++loop) {
      const NestStride& stride = nest_.operands[i].strides[loop];
      strides_.push_back(stride.is_fixed ? IrBuilder::index(stride.fixed)
                                         : word(IrKind::I64, NestContext::stride(nest_, i, loop)));
    }
  }
  if (plan_.scratch_bytes == 0) return;
  scratch_ = word(IrKind::Pointer, NestContext::Scratch);
  points_ = extent(nest_.columns);
  for (const NestExtent& depth : nest_.depth) points_ = b_.index_multiply(points_, extent(depth));
}

IrValue NestEmitter::extent(const NestExtent& extent) const {
  return extent.is_fixed() ? IrBuilder::index(extent.fixed) : numbers_[extent.number];
}

IrValue NestEmitter::stride(uint32_t operand, size_t loop) const {
  return strides_[size_t{operand} * NestContext::num_loops(nest_) + loop];
}

// Moves the bases to `index` of a loop.
void NestEmitter::advance(size_t loop, const IrValue& index) {
  for (uint32_t i = 0; i < nest_.operands.size(); ++i) {
    const IrValue offset = b_.index_multiply(index, stride(i, loop));
    bases_[i] = b_.address(memory_kind(nest_.operands[i].dtype), bases_[i], offset);
  }
}

void NestEmitter::emit_row(const IrValue& row) {
  bases_ = pointers_;
  depth_index_ = IrBuilder::index(0);
  IrValue rest = row;
  for (size_t loop = nest_.rows.size(); loop-- > 0;) {
    if (loop == 0) {
      advance(loop, rest);
      break;
    }
    const IrValue size = extent(nest_.rows[loop]);
    advance(loop, b_.binary("urem", rest, size));
    rest = b_.binary("udiv", rest, size);
  }
  if (plan_.is_column_outside) return emit_columns_outside();
  for (size_t pass = 0; pass < plan_.passes.size(); ++pass) {
    emit_lanes(plan_.row_lanes[pass], 1);
    emit_pass(plan_.passes[pass],
              copies_of(!plan_.passes[pass].folds.empty() && !plan_.passes[pass].is_costly));
  }
  emit_lanes(plan_.row_lanes.back(), 1);
  for (const uint32_t place : plan_.row_stores) store_row(place);
}

void NestEmitter::emit_columns_outside() {
  const bool is_cheap =
      std::ranges::none_of(plan_.passes, [](const NestPass& pass) { return pass.is_costly; });
  const uint32_t copies = copies_of(is_cheap);
  const int64_t step = int64_t{width_} * copies;
  const bool is_split = has_rest(copies);
  const IrValue last = is_split ? whole_end(column_begin_, column_end_, step) : column_end_;
  emit_loop(b_, column_begin_, last, step, {}, [&](const IrValue& index, const IrValues&) {
    for (uint32_t copy = 0; copy < copies; ++copy)
      spans_[copy] = whole_span(b_.index_add(index, IrBuilder::index(int64_t{copy} * width_)));
    emit_group(copies);
    return IrValues{};
  });
  if (!is_split) return;
  emit_loop(b_, last, column_end_, width_, {}, [&](const IrValue& index, const IrValues&) {
    spans_[0] = rest_span(index, column_end_);
    emit_group(1);
    return IrValues{};
  });
}

void NestEmitter::emit_group(uint32_t copies) {
  for (size_t pass = 0; pass < plan_.passes.size(); ++pass) {
    emit_lanes(plan_.row_lanes[pass], copies);
    emit_pass(plan_.passes[pass], copies);
  }
  emit_lanes(plan_.row_lanes.back(), copies);
  for (const uint32_t place : plan_.row_stores) {
    for (uint32_t copy = 0; copy < copies; ++copy) store(place, copy);
  }
}

void NestEmitter::emit_pass(const NestPass& pass, uint32_t copies) {
  start_folds(pass, copies);
  if (plan_.is_column_outside) hoist_splats(pass);
  finish_folds(walk_depth(pass, 0, first_state()));
}

IrValues NestEmitter::walk_depth(const NestPass& pass, size_t level, IrValues state) {
  const bool is_last = level + 1 >= nest_.depth.size();
  if (plan_.is_column_outside && is_last) return walk_last_depth(pass, state);
  if (level == nest_.depth.size()) return walk_columns(pass, std::move(state));
  const IrValue size = extent(nest_.depth[level]);
  const IrValues bases = bases_;
  const IrValue flat = depth_index_;
  state = emit_loop(b_, IrBuilder::index(0), size, 1, std::move(state),
                    [&](const IrValue& index, const IrValues& carried) {
                      bases_ = bases;
                      advance(nest_.rows.size() + level, index);
                      if (plan_.scratch_bytes > 0)
                        depth_index_ = b_.index_add(b_.index_multiply(flat, size), index);
                      return walk_depth(pass, level + 1, carried);
                    });
  bases_ = bases;
  depth_index_ = flat;
  return state;
}

// The innermost depth loop for fixed columns.
IrValues NestEmitter::walk_last_depth(const NestPass& pass, const IrValues& state) {
  if (nest_.depth.empty()) return close_block(state, emit_points(pass, copies_, open_block(state)));
  const IrValue size = extent(nest_.depth.back());
  const IrValues bases = bases_;
  const auto walk = [&](const IrValue& begin, const IrValue& end, const IrValues& accumulators) {
    return emit_loop(b_, begin, end, 1, accumulators,
                     [&](const IrValue& index, const IrValues& carried) {
                       bases_ = bases;
                       advance(nest_.rows.size() + nest_.depth.size() - 1, index);
                       return emit_points(pass, copies_, carried);
                     });
  };
  IrValues after;
  if (is_blocked(nest_.depth.back(), 1)) {
    after = emit_loop(b_, IrBuilder::index(0), size, kBlock, state,
                      [&](const IrValue& begin, const IrValues& carried) {
                        const IrValue end =
                            b_.call("llvm.smin", {IrKind::I64},
                                    {b_.index_add(begin, IrBuilder::index(kBlock)), size});
                        return close_block(carried, walk(begin, end, open_block(carried)));
                      });
  } else {
    after = close_block(state, walk(IrBuilder::index(0), size, open_block(state)));
  }
  bases_ = bases;
  return after;
}

IrValues NestEmitter::walk_columns(const NestPass& pass, IrValues state) {
  emit_lanes(pass.depth_lanes, 1);
  hoist_splats(pass);
  const bool is_split = has_rest(copies_);
  const int64_t step = int64_t{width_} * copies_;
  const IrValue last = is_split ? whole_end(column_begin_, column_end_, step) : column_end_;
  state = walk_whole_vectors(pass, column_begin_, last, state);
  return is_split ? walk_rest(pass, last, column_end_, state) : state;
}

IrValues NestEmitter::walk_whole_vectors(const NestPass& pass, const IrValue& begin,
                                         const IrValue& last, const IrValues& state) {
  const int64_t step = int64_t{width_} * copies_;
  const auto walk = [&](const IrValue& from, const IrValue& to, const IrValues& accumulators) {
    return emit_loop(
        b_, from, to, step, accumulators, [&](const IrValue& index, const IrValues& carried) {
          for (uint32_t copy = 0; copy < copies_; ++copy)
            spans_[copy] =
                whole_span(b_.index_add(index, IrBuilder::index(int64_t{copy} * width_)));
          return emit_points(pass, copies_, carried);
        });
  };
  int64_t first = 0;
  int64_t end = 0;
  if (begin.is_constant_int(first) && last.is_constant_int(end) && first == end) return state;
  if (!is_blocked(nest_.columns, step))
    return close_block(state, walk(begin, last, open_block(state)));
  return emit_loop(
      b_, begin, last, step * kBlock, state, [&](const IrValue& from, const IrValues& carried) {
        const IrValue to = b_.call("llvm.smin", {IrKind::I64},
                                   {b_.index_add(from, IrBuilder::index(step * kBlock)), last});
        return close_block(carried, walk(from, to, open_block(carried)));
      });
}

// The columns after the last full vector, with a mask.
IrValues NestEmitter::walk_rest(const NestPass& pass, const IrValue& begin, const IrValue& end,
                                const IrValues& state) {
  const IrValues all = open_block(state);
  IrValues firsts;
  for (size_t fold = 0; fold < folds_.size(); ++fold) firsts.push_back(all[fold * copies_]);
  firsts = emit_loop(b_, begin, end, width_, std::move(firsts),
                     [&](const IrValue& index, const IrValues& carried) {
                       spans_[0] = rest_span(index, end);
                       return emit_points(pass, 1, carried);
                     });
  return close_rest(state, firsts);
}

// One vector of points per copy. Accumulators are ordered by reduction, then by copy.
IrValues NestEmitter::emit_points(const NestPass& pass, uint32_t copies,
                                  const IrValues& accumulators) {
  IrValues next = accumulators;
  for (uint32_t copy = 0; copy < copies; ++copy) {
    for (const uint32_t place : pass.recalled) {
      const KeptLane& kept = plan_.kept[place];
      values_[copy][kept.lane] =
          load_lanes(b_, memory_of(kept), spans_[copy], target_.vector_bytes);
    }
    for (const uint32_t lane : pass.lanes) {
      if (plan_.varies[lane] || copy == 0) emit_lane_of(lane, copy);
    }
    for (const uint32_t place : pass.kept) {
      const KeptLane& kept = plan_.kept[place];
      store_lanes(b_, memory_of(kept), value_of(kept.lane, copy, width_), spans_[copy],
                  target_.vector_bytes);
    }
    for (const uint32_t place : pass.stores) store(place, copy);
    for (size_t i = 0; i < folds_.size(); ++i) {
      const Fold& fold = folds_[i];
      IrValue value = value_of(nest_.lanes[fold.lane].args[0], copy, width_);
      if (spans_[copy].mask.is_there() && !plan_.is_column_outside) {
        value = b_.select(spans_[copy].mask, value, fold_identity(fold.op, fold.dtype, value.type));
      }
      IrValue& accumulator = next[i * copies + copy];
      accumulator = emit_fold_step(b_, fold.op, fold.dtype, accumulator, value);
    }
  }
  return next;
}

void NestEmitter::emit_lanes(const std::vector<uint32_t>& lanes, uint32_t copies) {
  for (const uint32_t lane : lanes) {
    for (uint32_t copy = 0; copy < (plan_.varies[lane] ? copies : 1); ++copy)
      emit_lane_of(lane, copy);
  }
}

void NestEmitter::emit_lane_of(uint32_t place, uint32_t copy) {
  const Lane& lane = nest_.lanes[place];
  IrValue& value = values_[copy][place];
  const uint32_t width = plan_.varies[place] ? width_ : 1;
  switch (lane.op) {
    case LaneOp::Constant:
      return;
    case LaneOp::Number:
      value = numbers_[static_cast<size_t>(lane.integer)];
      return;
    case LaneOp::Load: {
      const LaneMemory memory = memory_of(lane.operand);
      value = plan_.varies[place] ? load_lanes(b_, memory, spans_[copy], target_.vector_bytes)
                                  : load_scalar(b_, memory);
      return;
    }
    default:
      break;
  }
  if (divides_by_one(lane)) {
    const IrValue divisor = value_of(lane.args[1], copy, 1);
    const Lane& sum = nest_.lanes[lane.args[1]];
    const bool is_share = sum.op == LaneOp::FoldSum && sum.args[0] == lane.args[0];
    value = divide_by_one(b_, value_of(lane.args[0], copy, width), divisor, is_share);
    return;
  }
  IrValues args;
  for (const uint32_t arg : lane.args) args.push_back(value_of(arg, copy, width));
  value = emit_lane(b_, lane, nest_.lanes[lane.args.back()].dtype, args);
}

IrValue NestEmitter::value_of(uint32_t place, uint32_t copy, uint32_t width) {
  const Lane& lane = nest_.lanes[place];
  if (lane.op == LaneOp::Constant) {
    const IrType type{lane_kind(lane.dtype), width};
    return type.is_float() ? IrBuilder::number(type, lane.number)
                           : IrBuilder::integer(type, lane.integer);
  }
  return b_.splat(values_[plan_.varies[place] ? copy : 0][place], width);
}

// Whether a vector is divided by a value that is the same in all lanes, and not a constant.
bool NestEmitter::divides_by_one(const Lane& lane) const {
  return lane.op == LaneOp::Divide && width_ > 1 && plan_.varies[lane.args[0]] &&
         !plan_.varies[lane.args[1]] && nest_.lanes[lane.args[1]].op != LaneOp::Constant;
}

// Emits splats of loop-invariant values before the loop.
void NestEmitter::hoist_splats(const NestPass& pass) {
  const auto is_made = [&](uint32_t lane) {
    return !plan_.varies[lane] && nest_.lanes[lane].op != LaneOp::Constant &&
           (plan_.levels[lane] == LaneLevel::Row || !plan_.is_column_outside);
  };
  const auto hoist = [&](uint32_t lane) {
    if (is_made(lane)) value_of(lane, 0, width_);
  };
  for (const uint32_t place : pass.lanes) {
    const Lane& lane = nest_.lanes[place];
    if (!plan_.varies[place]) continue;
    if (divides_by_one(lane) && is_made(lane.args[1]))
      prepare_divisor(b_, value_of(lane.args[1], 0, 1), width_);
    else
      std::ranges::for_each(lane.args, hoist);
  }
  for (const Fold& fold : folds_) hoist(nest_.lanes[fold.lane].args[0]);
}

// Stores a value of a single point, or a vector.
void NestEmitter::store(uint32_t place, uint32_t copy) {
  const NestStore& store = nest_.stores[place];
  const LaneMemory memory = memory_of(store.operand);
  if (memory.stride.text == "0") return store_row(place);
  const IrValue value = value_of(store.lane, copy, width_);
  store_lanes(b_, memory,
              emit_cast(b_, value, nest_.lanes[store.lane].dtype, compute_dtype(memory.dtype)),
              spans_[copy], target_.vector_bytes);
}

void NestEmitter::store_row(uint32_t place) {
  const NestStore& store = nest_.stores[place];
  const LaneMemory memory = memory_of(store.operand);
  OPWRIGHT_ASSERT(!plan_.varies[store.lane] || width_ == 1);
  const IrValue value = value_of(store.lane, 0, 1);
  store_scalar(b_, memory,
               emit_cast(b_, value, nest_.lanes[store.lane].dtype, compute_dtype(memory.dtype)));
}

LaneMemory NestEmitter::memory_of(uint32_t operand) const {
  return {nest_.operands[operand].dtype, bases_[operand],
          stride(operand, NestContext::num_loops(nest_) - 1)};
}

LaneMemory NestEmitter::memory_of(const KeptLane& kept) {
  const DType dtype = nest_.lanes[kept.lane].dtype;
  if (kept.is_in_output) return memory_of(kept.operand);
  const int64_t bytes = dtype_bits(dtype) / 8;
  const IrValue before = b_.index_multiply(points_, IrBuilder::index(kept.scratch_offset));
  const IrValue line = b_.index_multiply(depth_index_, extent(nest_.columns));
  const IrValue place = b_.index_add(before, b_.index_multiply(line, IrBuilder::index(bytes)));
  return {dtype, b_.address(IrKind::I8, scratch_, place), IrBuilder::index(1)};
}

LaneSpan NestEmitter::whole_span(const IrValue& index) const { return {width_, index, {}, {}}; }

LaneSpan NestEmitter::rest_span(const IrValue& index, const IrValue& end) {
  if (width_ == 1) return whole_span(index);
  const IrType mask_type{IrKind::I1, width_};
  int64_t first = 0;
  int64_t last = 0;
  if (index.is_constant_int(first) && end.is_constant_int(last)) {
    std::string bits;
    for (int64_t lane = 0; lane < width_; ++lane)
      bits += fmt::format("{}i1 {}", lane == 0 ? "" : ", ", lane < last - first);
    return {width_, index, {fmt::format("<{}>", bits), mask_type}, IrBuilder::index(last - first)};
  }
  const IrValue left =
      b_.call("llvm.smin", {IrKind::I64}, {b_.binary("sub", end, index), IrBuilder::index(width_)});
  const IrKind kind = width_ > 16 ? IrKind::I8 : IrKind::I32;
  const IrValue all = b_.splat(b_.convert("trunc", left, kind), width_);
  std::string lanes;
  for (uint32_t lane = 0; lane < width_; ++lane)
    lanes += fmt::format("{}{} {}", lane == 0 ? "" : ", ", to_text(IrType{kind}), lane);
  const IrValue mask = b_.compare("icmp ult", {fmt::format("<{}>", lanes), all.type}, all);
  return {width_, index, mask, left};
}

// The end of the full steps from `begin`.
IrValue NestEmitter::whole_end(const IrValue& begin, const IrValue& end, int64_t step) {
  int64_t first = 0;
  int64_t last = 0;
  if (begin.is_constant_int(first) && end.is_constant_int(last))
    return IrBuilder::index(first + std::max<int64_t>(last - first, 0) / step * step);
  const IrValue count = b_.binary("sub", end, begin);
  const IrValue whole = b_.binary("and", count, IrBuilder::index(-step));
  return b_.index_add(begin, whole);
}

// Vectors processed at once; a divisor of the columns if these are fixed.
uint32_t NestEmitter::copies_of(bool is_cheap) const {
  if (!is_cheap || width_ == 1) return 1;
  uint32_t copies = kCopies;
  if (!nest_.folds_columns) copies = std::min(copies, std::max(kColumnGrain / width_, 1U));
  if (!nest_.columns.is_fixed()) return copies;
  const int64_t columns = nest_.columns.fixed;
  while (copies > 1 && (columns < int64_t{width_} * copies ||
                        (columns % width_ == 0 && columns % (int64_t{width_} * copies) != 0)))
    copies /= 2;
  return copies;
}

bool NestEmitter::has_rest(uint32_t copies) const {
  if (width_ == 1) return false;
  return !nest_.columns.is_fixed() || nest_.columns.fixed % (int64_t{width_} * copies) != 0;
}

}  // namespace opwright
