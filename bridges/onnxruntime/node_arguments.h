// The values of one call: the node's attributes, and tensors for its inputs.
#pragma once

#include <cstddef>
#include <list>
#include <span>
#include <vector>

#include "bridges/onnxruntime/node_inputs.h"
#include "bridges/onnxruntime/ort_operator.h"
#include "bridges/operators/inline_array.h"
#include "opwright/c_api.h"
#include "opwright/value.h"

namespace opwright::ort_bridge {

// Valid as long as its sources.
class NodeArguments {
 public:
  // `tensors` are by input; null if that input is absent. TypeError if it is required.
  NodeArguments(const OrtOperator& op, std::span<const InputPlace> places,
                std::span<const Value> attributes, std::span<OpwTensor* const> tensors);
  NodeArguments(const NodeArguments&) = delete;
  NodeArguments& operator=(const NodeArguments&) = delete;

  [[nodiscard]] std::span<const OpwValue> values() const {
    return {values_.data(), values_.size()};
  }

 private:
  OpwValue bind(const OrtOperator& op, const InputPlace& place,
                std::span<OpwTensor* const> tensors);
  OpwValue bind_list(const OrtOperator& op, const InputPlace& place,
                     std::span<OpwTensor* const> tensors);

  static constexpr size_t kUsualArguments = 12;
  bridges::InlineArray<OpwValue, kUsualArguments> values_;
  std::list<std::vector<OpwValue>> lists_;
};

}  // namespace opwright::ort_bridge
