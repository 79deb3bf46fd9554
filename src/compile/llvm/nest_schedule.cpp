#include "opwright/compile/llvm/nest_schedule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "opwright/compile/fuse/nest.h"
#include "opwright/dtype.h"

namespace opwright {
namespace {

bool is_moved(const NestStride& stride) { return !stride.is_fixed || stride.fixed != 0; }
bool moves_with_columns(const NestOperand& operand) { return is_moved(operand.strides.back()); }
bool moves_with_depth(const Nest& nest, const NestOperand& operand) {
  const auto first = operand.strides.begin() + static_cast<ptrdiff_t>(nest.rows.size());
  return std::any_of(first, operand.strides.end() - 1, is_moved);
}

class Scheduler {
 public:
  explicit Scheduler(const Nest& nest)
      : nest_(nest),
        used_(nest.lanes.size()),
        ready_(nest.lanes.size()),
        took_costly_(nest.lanes.size()),
        first_pass_(nest.lanes.size(), kNever) {}

  NestSchedule run() {
    has_folds_ = std::ranges::any_of(nest_.lanes, [](const Lane& l) { return is_fold(l.op); });
    plan_.is_column_outside = has_folds_ && !nest_.folds_columns;
    find_used();
    find_levels();
    find_passes();
    place_row_lanes();
    place_stores();
    for (uint32_t pass = 0; pass < plan_.passes.size(); ++pass) fill_pass(pass);
    place_kept();
    return std::move(plan_);
  }

 private:
  void find_used() {
    for (const NestStore& store : nest_.stores) used_[store.lane] = true;
    for (size_t i = nest_.lanes.size(); i-- > 0;) {
      if (!used_[i]) continue;
      for (const uint32_t arg : nest_.lanes[i].args) used_[arg] = true;
    }
  }

  void find_levels() {
    std::vector<bool> varies_depth(nest_.lanes.size());
    plan_.varies.resize(nest_.lanes.size());
    for (size_t i = 0; i < nest_.lanes.size(); ++i) {
      const Lane& lane = nest_.lanes[i];
      bool columns = false;
      bool depth = false;
      if (lane.op == LaneOp::Load) {
        columns = moves_with_columns(nest_.operands[lane.operand]);
        depth = moves_with_depth(nest_, nest_.operands[lane.operand]);
      } else if (is_fold(lane.op)) {
        columns = plan_.is_column_outside;
      } else {
        for (const uint32_t arg : lane.args) {
          columns = columns || plan_.varies[arg];
          depth = depth || varies_depth[arg];
        }
      }
      plan_.varies[i] = columns;
      varies_depth[i] = depth;
      const bool is_row = plan_.is_column_outside ? !depth : !depth && !columns;
      const LaneLevel inner =
          plan_.is_column_outside || columns ? LaneLevel::Point : LaneLevel::Depth;
      plan_.levels.push_back(is_row ? LaneLevel::Row : inner);
    }
  }

  // ready_: the pass before or in which a lane can first be computed.
  void find_passes() {
    uint32_t count = 0;
    for (size_t i = 0; i < nest_.lanes.size(); ++i) {
      const Lane& lane = nest_.lanes[i];
      for (const uint32_t arg : lane.args) {
        ready_[i] = std::max(ready_[i], ready_[arg]);
      }
      if (!used_[i]) continue;
      if (is_fold(lane.op)) {
        ++ready_[i];  // after the pass that reduces it
        count = std::max(count, ready_[i]);
      } else if (plan_.levels[i] != LaneLevel::Row) {
        count = std::max(count, ready_[i] + 1);
      }
    }
    for (const NestStore& store : nest_.stores) {
      if (!is_row_store(store)) count = std::max(count, ready_[store.lane] + 1);
    }
    plan_.passes.resize(count);
    for (uint32_t i = 0; i < nest_.lanes.size(); ++i) {
      if (used_[i] && is_fold(nest_.lanes[i].op)) plan_.passes[ready_[i] - 1].folds.push_back(i);
    }
  }

  void place_row_lanes() {
    plan_.row_lanes.resize(plan_.passes.size() + 1);
    for (uint32_t i = 0; i < nest_.lanes.size(); ++i) {
      if (used_[i] && plan_.levels[i] == LaneLevel::Row && !is_fold(nest_.lanes[i].op))
        plan_.row_lanes[ready_[i]].push_back(i);
    }
  }

  [[nodiscard]] bool is_row_store(const NestStore& store) const {
    if (plan_.levels[store.lane] != LaneLevel::Row || !has_folds_) return false;
    const NestOperand& operand = nest_.operands[store.operand];
    if (moves_with_depth(nest_, operand)) return false;
    return plan_.is_column_outside || !moves_with_columns(operand);
  }

  // Written memory may be that of a loaded operand, which every pass may read again: stores go into
  // the last pass, those of rows after it.
  void place_stores() {
    for (uint32_t i = 0; i < nest_.stores.size(); ++i) {
      if (is_row_store(nest_.stores[i]))
        plan_.row_stores.push_back(i);
      else
        plan_.passes.back().stores.push_back(i);
    }
  }

  // Finds lanes of points with a costly operation since loads and lanes that are already kept.
  void find_costly() {
    for (size_t i = 0; i < nest_.lanes.size(); ++i) {
      took_costly_[i] = plan_.levels[i] == LaneLevel::Point && is_costly(nest_.lanes[i].op);
      for (const uint32_t arg : nest_.lanes[i].args) {
        if (took_costly_[arg] && !is_fold(nest_.lanes[i].op)) took_costly_[i] = true;
      }
      if (std::ranges::find(plan_.kept, i, &KeptLane::lane) != plan_.kept.end())
        took_costly_[i] = false;
    }
  }

  void fill_pass(uint32_t pass) {
    find_costly();
    NestPass& filled = plan_.passes[pass];
    std::vector<bool> wanted(nest_.lanes.size());
    for (const uint32_t fold : filled.folds) wanted[nest_.lanes[fold].args[0]] = true;
    for (const uint32_t store : filled.stores) wanted[nest_.stores[store].lane] = true;
    for (uint32_t i = static_cast<uint32_t>(nest_.lanes.size()); i-- > 0;) {
      if (!wanted[i] || plan_.levels[i] == LaneLevel::Row) continue;
      if (should_keep(i, pass)) {
        filled.recalled.push_back(keep(i));
        continue;
      }
      const Lane& lane = nest_.lanes[i];
      for (const uint32_t arg : lane.args) wanted[arg] = true;
      const bool is_point = plan_.levels[i] == LaneLevel::Point;
      (is_point ? filled.lanes : filled.depth_lanes).push_back(i);
      first_pass_[i] = std::min(first_pass_[i], pass);
      filled.is_costly = filled.is_costly || (is_point && is_costly(lane.op));
    }
    std::ranges::reverse(filled.lanes);
    std::ranges::reverse(filled.depth_lanes);
  }

  [[nodiscard]] bool should_keep(uint32_t lane, uint32_t pass) const {
    const bool is_kept = std::ranges::find(plan_.kept, lane, &KeptLane::lane) != plan_.kept.end();
    return nest_.folds_columns && first_pass_[lane] < pass && (is_kept || took_costly_[lane]);
  }

  uint32_t keep(uint32_t lane) {
    for (uint32_t i = 0; i < plan_.kept.size(); ++i) {
      if (plan_.kept[i].lane == lane) return i;
    }
    const auto place = static_cast<uint32_t>(plan_.kept.size());
    plan_.kept.push_back({.lane = lane});
    plan_.passes[first_pass_[lane]].kept.push_back(place);
    return place;
  }

  // If the last pass loads no operand that an output may overlap, the output can hold one lane of
  // its dtype until then.
  void place_kept() {
    std::vector<bool> taken(nest_.operands.size());
    for (KeptLane& kept : plan_.kept) kept.is_in_output = find_output(kept, taken);
    for (const int64_t bytes : {8, 4, 2, 1}) {
      for (KeptLane& kept : plan_.kept) {
        if (kept.is_in_output || bytes_of(kept.lane) != bytes) continue;
        kept.scratch_offset = plan_.scratch_bytes;
        plan_.scratch_bytes += bytes;
      }
    }
  }

  [[nodiscard]] int64_t bytes_of(uint32_t lane) const {
    return dtype_bits(nest_.lanes[lane].dtype) / 8;
  }

  bool find_output(KeptLane& kept, std::vector<bool>& taken) const {
    for (uint32_t pass = first_pass_[kept.lane] + 1; pass < plan_.passes.size(); ++pass) {
      for (const auto* lanes : {&plan_.passes[pass].lanes, &plan_.passes[pass].depth_lanes}) {
        for (const uint32_t lane : *lanes) {
          if (nest_.lanes[lane].op == LaneOp::Load) return false;
        }
      }
    }
    for (const uint32_t store : plan_.passes.back().stores) {
      const uint32_t operand = nest_.stores[store].operand;
      const NestStride& stride = nest_.operands[operand].strides.back();
      if (taken[operand] || nest_.operands[operand].dtype != nest_.lanes[kept.lane].dtype ||
          !stride.is_fixed || stride.fixed != 1)
        continue;
      taken[operand] = true;
      kept.operand = operand;
      return true;
    }
    return false;
  }

  const Nest& nest_;
  NestSchedule plan_;
  std::vector<bool> used_;
  std::vector<uint32_t> ready_;
  std::vector<bool> took_costly_;
  static constexpr uint32_t kNever = UINT32_MAX;
  std::vector<uint32_t> first_pass_;  // the pass that computes the lane
  bool has_folds_ = false;
};

}  // namespace

NestSchedule schedule_nest(const Nest& nest) { return Scheduler(nest).run(); }

}  // namespace opwright
