// The slots of a graph's values (step.h).
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/ir/graph/graph.h"

namespace opwright {

class ValueSlots {
 public:
  explicit ValueSlots(const Graph& graph);

  [[nodiscard]] uint32_t of(const GraphValue& value) const { return by_number_[value.number()]; }
  // The slot of each call's first result; the slots of its other results follow.
  [[nodiscard]] uint32_t first_result(uint32_t step) const { return first_results_[step]; }
  [[nodiscard]] uint32_t num_inputs() const noexcept { return num_inputs_; }
  [[nodiscard]] uint32_t size() const noexcept { return size_; }

 private:
  void add_call(const Node& node);

  std::vector<uint32_t> by_number_;
  std::vector<uint32_t> first_results_;
  uint32_t num_inputs_ = 0;
  uint32_t size_ = 0;
};

}  // namespace opwright
