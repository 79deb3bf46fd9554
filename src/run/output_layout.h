// OutputLayout: builds a graph's outputs from slots, numbers and constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/run/size_plan.h"
#include "opwright/run/step.h"
#include "opwright/run/value_slots.h"
#include "opwright/value.h"

namespace opwright {

class OutputLayout {
 public:
  // Call it after all calls were added to `sizes`.
  OutputLayout(const Graph& graph, const ValueSlots& slots, SizePlan& sizes);

  [[nodiscard]] size_t size() const noexcept { return outputs_.size(); }
  // The late numbers in outputs (SizePlan::late); kNoIndex: none.
  [[nodiscard]] uint32_t sizes() const noexcept { return late_; }

  // The state of a run after its calls.
  struct Source {
    std::vector<OpwValue>& slots;  // those that the run owns are moved out of
    const std::vector<int64_t>& numbers;
    const std::vector<int64_t>& late_numbers;
  };
  // Owned by the caller. Call it once per output, in order.
  [[nodiscard]] OpwValue take(size_t output, const Source& source) const {
    return take(outputs_[output], source);
  }

 private:
  struct Part {
    enum class Kind : uint8_t { Copied, Moved, Number, LateNumber, Constant, List };
    Kind kind = Kind::Constant;
    uint32_t index = 0;  // of a slot or a number
    Value constant;
    std::vector<Part> elements;
  };
  class Builder;

  [[nodiscard]] static OpwValue take(const Part& part, const Source& source);

  std::vector<Part> outputs_;
  uint32_t late_ = kNoIndex;
};

}  // namespace opwright
