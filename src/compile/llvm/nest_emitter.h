// Emits the loops of a nest as IR: rows, passes, depth, vectorized columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "opwright/compile/fuse/nest.h"
#include "opwright/compile/llvm/emit_llvm.h"
#include "opwright/compile/llvm/ir_builder.h"
#include "opwright/compile/llvm/ir_loop.h"
#include "opwright/compile/llvm/lane_memory.h"
#include "opwright/compile/llvm/nest_schedule.h"

namespace opwright {

class NestEmitter {
 public:
  NestEmitter(const Nest& nest, const EmitTarget& target);
  std::string emit();
  [[nodiscard]] const NestSchedule& schedule() const { return plan_; }

 private:
  static constexpr int64_t kBlock = 256;
  // A reduction in progress: accumulators, and a total over blocks of points where a single
  // accumulator would lose precision.
  struct Fold {
    uint32_t lane = 0;
    LaneOp op{};
    DType dtype{};
    bool has_total = false;
  };

  void read_context();
  void emit_row(const IrValue& row);
  void emit_columns_outside();
  void emit_group(uint32_t copies);
  void emit_pass(const NestPass& pass, uint32_t copies);
  IrValues walk_depth(const NestPass& pass, size_t level, IrValues state);
  IrValues walk_last_depth(const NestPass& pass, const IrValues& state);
  IrValues walk_columns(const NestPass& pass, IrValues state);
  IrValues walk_whole_vectors(const NestPass& pass, const IrValue& begin, const IrValue& last,
                              const IrValues& state);
  IrValues walk_rest(const NestPass& pass, const IrValue& begin, const IrValue& end,
                     const IrValues& state);
  IrValues emit_points(const NestPass& pass, uint32_t copies, const IrValues& accumulators);

  // Reductions.
  void start_folds(const NestPass& pass, uint32_t copies);
  [[nodiscard]] IrValues first_state() const;
  [[nodiscard]] IrValues open_block(const IrValues& state) const;
  IrValues close_block(const IrValues& state, const IrValues& accumulators);
  IrValues close_rest(IrValues state, const IrValues& firsts);
  void finish_folds(const IrValues& state);
  [[nodiscard]] size_t num_states(const Fold& fold) const;
  [[nodiscard]] bool is_blocked(const NestExtent& extent, int64_t step) const;
  IrValue join(const Fold& fold, const IrValues& values, size_t first, size_t count);

  // Lanes.
  void emit_lane_of(uint32_t lane, uint32_t copy);
  void emit_lanes(const std::vector<uint32_t>& lanes, uint32_t copies);
  IrValue value_of(uint32_t lane, uint32_t copy, uint32_t width);
  [[nodiscard]] bool divides_by_one(const Lane& lane) const;
  void hoist_splats(const NestPass& pass);
  void store(uint32_t place, uint32_t copy);
  void store_row(uint32_t place);
  [[nodiscard]] LaneMemory memory_of(uint32_t operand) const;
  LaneMemory memory_of(const KeptLane& kept);

  // Loops.
  IrValue extent(const NestExtent& extent) const;
  IrValue stride(uint32_t operand, size_t loop) const;
  void advance(size_t loop, const IrValue& index);
  [[nodiscard]] LaneSpan whole_span(const IrValue& index) const;
  LaneSpan rest_span(const IrValue& index, const IrValue& end);
  [[nodiscard]] IrValue whole_end(const IrValue& begin, const IrValue& end, int64_t step);
  [[nodiscard]] uint32_t copies_of(bool is_cheap) const;
  [[nodiscard]] bool has_rest(uint32_t copies) const;

  const Nest& nest_;
  EmitTarget target_;
  NestSchedule plan_;
  IrBuilder b_;
  uint32_t width_ = 1;
  IrValues numbers_, pointers_, strides_;
  IrValue row_begin_, row_end_, column_begin_, column_end_, scratch_, points_;
  IrValues bases_;                // of operands, at the current loop indices
  IrValue depth_index_;           // of the depth as one range
  std::vector<IrValues> values_;  // of lanes, per copy
  std::vector<LaneSpan> spans_;   // per copy
  std::vector<Fold> folds_;
  uint32_t copies_ = 1;
};

}  // namespace opwright
