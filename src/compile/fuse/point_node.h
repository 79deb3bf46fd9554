// What a node means to a nest: an expression of elements, or a fold of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "opwright/compile/fuse/fusion_target.h"
#include "opwright/compile/fuse/lane_builder.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {

struct PointNode {
  struct Fold {
    LaneOp op{};
    std::vector<bool> dims;  // of the one input: which are folded
    bool is_mean = false;    // the sum is divided by the number of elements
    DType compute{};         // what elements are converted to
    DType result{};
  };
  // The tensors that it reads, which broadcast to its result; of a fold the folded one.
  std::vector<GraphValue*> inputs = {};
  std::optional<Fold> fold = std::nullopt;
  std::vector<SymInt> symbols = {};  // numbers that it reads
  // Of others: the lane of the result, from those of the inputs, then of the symbols, int64.
  std::function<uint32_t(LaneBuilder& lanes, std::span<const uint32_t> inputs)> add = {};
  bool is_costly = false;
  // Gives new memory with what was there, or a constant: by itself no reason for a nest.
  bool is_trivial = false;
};

// None: the node stays a call.
[[nodiscard]] std::optional<PointNode> describe_point(const Node& node, const FusionTarget& target);

}  // namespace opwright
