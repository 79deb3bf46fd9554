#include "bridges/onnxruntime/node_arguments.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bridges/onnxruntime/attribute_value.h"
#include "bridges/onnxruntime/node_inputs.h"
#include "bridges/onnxruntime/ort_operator.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/value.h"

namespace opwright::ort_bridge {
namespace {

OpwValue value_of_tensor(OpwTensor* tensor) {
  OpwValue value{};
  value.tag = kOpwTensor;
  value.as_tensor = tensor;
  return value;
}

}  // namespace

NodeArguments::NodeArguments(const OrtOperator& op, std::span<const InputPlace> places,
                             std::span<const Value> attributes, std::span<OpwTensor* const> tensors)
    : values_(attributes.size()) {
  for (size_t i = 0; i < attributes.size(); ++i) values_[i] = attributes[i].get();
  for (const InputPlace& each : places) values_[each.argument] = bind(op, each, tensors);
}

OpwValue NodeArguments::bind(const OrtOperator& op, const InputPlace& place,
                             std::span<OpwTensor* const> tensors) {
  const ValueType& type = op.description.arguments[place.argument].type;
  if (type.is_list) [[unlikely]]
    return bind_list(op, place, tensors);
  OpwTensor* tensor = place.count != 0 ? tensors[place.first] : nullptr;
  if (tensor) [[likely]]
    return value_of_tensor(tensor);
  OPWRIGHT_CHECK_TYPE(type.is_optional, name_argument(op.description, place.argument),
                      " is missing: the node leaves out its input");
  return OpwValue{};
}

OpwValue NodeArguments::bind_list(const OrtOperator& op, const InputPlace& place,
                                  std::span<OpwTensor* const> tensors) {
  const ValueType& type = op.description.arguments[place.argument].type;
  const std::span<OpwTensor* const> elements = tensors.subspan(place.first, place.count);
  if (type.is_optional && elements.empty()) return OpwValue{};
  OpwValue value{};
  value.length = static_cast<uint32_t>(elements.size());
  if (!type.has_optional_elements) {
    OPWRIGHT_CHECK_TYPE(std::ranges::find(elements, nullptr) == elements.end(),
                        name_argument(op.description, place.argument),
                        " has a tensor that the node leaves out");
    value.tag = kOpwTensorList;
    value.as_tensors = elements.data();
    return value;
  }
  std::vector<OpwValue>& list = lists_.emplace_back();
  for (OpwTensor* each : elements) list.push_back(each ? value_of_tensor(each) : OpwValue{});
  value.tag = kOpwList;
  value.as_values = list.data();
  return value;
}

}  // namespace opwright::ort_bridge
