// Schedules the lanes of a nest: what each pass over the points computes.
//
// A pass computes the reductions whose arguments are ready, and their dependencies. A later pass
// recomputes cheap lanes; lanes that took a costly operation are kept, in an output that is written
// later anyway, or in scratch memory.
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/compile/fuse/nest.h"

namespace opwright {

enum class LaneLevel : uint8_t {
  Row,    // once for all points that a reduction joins
  Depth,  // once for all columns
  Point,
};

struct KeptLane {
  uint32_t lane = 0;
  bool is_in_output = false;
  uint32_t operand = 0;        // the output
  int64_t scratch_offset = 0;  // bytes per point that come before it
};

struct NestPass {
  std::vector<uint32_t> depth_lanes = {};  // of level Depth, then
  std::vector<uint32_t> lanes = {};        // of level Point, in order
  std::vector<uint32_t> recalled = {};     // indices in `kept`, from earlier passes
  std::vector<uint32_t> kept = {};         // indices in `kept`, for later passes
  std::vector<uint32_t> folds = {};
  std::vector<uint32_t> stores = {};  // indices in the nest's stores
  bool is_costly = false;
};

struct NestSchedule {
  // Whether reductions join the depth of one column each; then a pass walks the depth inside a loop
  // over columns.
  bool is_column_outside = false;
  std::vector<LaneLevel> levels = {};
  std::vector<bool> varies = {};  // per lane: whether it varies along the columns
  std::vector<NestPass> passes = {};
  std::vector<std::vector<uint32_t>> row_lanes = {};  // before each pass, and after the last
  std::vector<uint32_t> row_stores = {};
  std::vector<KeptLane> kept = {};
  int64_t scratch_bytes = 0;
};

[[nodiscard]] NestSchedule schedule_nest(const Nest& nest);

}  // namespace opwright
