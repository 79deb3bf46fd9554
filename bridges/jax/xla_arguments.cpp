#include "bridges/jax/xla_arguments.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bridges/jax/attribute_value.h"
#include "bridges/jax/jax_operator.h"
#include "bridges/jax/xla_ffi.h"
#include "bridges/operators/tensor_layout.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"

namespace opwright::jax_bridge {
namespace {

std::span<const int64_t> read_given(const XlaAttributes& attributes) {
  const XlaAttribute found = find_attribute(attributes, "_given");
  if (!found.value || found.type != XlaAttributeType::Array) return {};
  const auto* array = static_cast<const XlaArray*>(found.value);
  if (array->dtype != XlaDType::S64) return {};
  return {static_cast<const int64_t*>(array->data), array->size};
}

OpwValue value_of_tensor(OpwTensor* tensor) {
  OpwValue value{};
  value.tag = kOpwTensor;
  value.as_tensor = tensor;
  return value;
}

OpwValue value_of_list(OpwTag tag, size_t length, const void* elements) {
  OpwValue value{};
  value.tag = tag;
  value.length = static_cast<uint32_t>(length);
  value.as_values = elements;
  return value;
}

OpwValue read_attribute(const JaxOperator& op, size_t index, const XlaAttributes& attributes) {
  const ArgumentDescription& argument = op.description.arguments[index];
  const XlaAttribute found = find_attribute(attributes, argument.name);
  if (found.value) return value_of_attribute(op, index, found);
  if (argument.type.is_optional) return OpwValue{};
  OPWRIGHT_CHECK_TYPE(
      argument.default_value, name_argument(op, index),
      " is missing: it has no default, so the call needs an attribute of that name");
  return *argument.default_value;
}

}  // namespace

XlaAttribute find_attribute(const XlaAttributes& attributes, std::string_view name) {
  for (int64_t i = 0; i < attributes.size; ++i) {
    const XlaText& each = *attributes.names[i];
    if (std::string_view(each.characters, each.length) == name)
      return {attributes.types[i], attributes.values[i]};
  }
  return {};
}

CallLayout::CallLayout(const JaxOperator& op, const XlaAttributes& attributes)
    : fixed_(op.fixed_layout ? &*op.fixed_layout : nullptr) {
  if (!fixed_) made_.emplace(op.description, read_given(attributes));
}

BoundArguments::BoundArguments(const JaxOperator& op, const bridges::TensorLayout& layout,
                               const XlaAttributes& attributes,
                               std::span<OpwTensor* const> tensors) {
  const size_t count = op.description.arguments.size();
  values_.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const ValueType& type = op.description.arguments[i].type;
    if (type.kind != ValueKind::Tensor) {
      values_.push_back(read_attribute(op, i, attributes));
    } else if (layout.is_none(i)) {
      values_.push_back(OpwValue{});
    } else {
      values_.push_back(read_tensors(type, layout.places(i), tensors));
    }
  }
}

OpwValue BoundArguments::read_tensors(const ValueType& type, const std::vector<bool>& places,
                                      std::span<OpwTensor* const>& tensors) {
  const auto take = [&] {
    OpwTensor* first = tensors[0];
    tensors = tensors.subspan(1);
    return first;
  };
  if (!type.is_list) return value_of_tensor(take());
  if (type.has_optional_elements) {
    std::vector<OpwValue>& list = lists_.emplace_back();
    for (const bool is_there : places)
      list.push_back(is_there ? value_of_tensor(take()) : OpwValue{});
    return value_of_list(kOpwList, list.size(), list.data());
  }
  std::vector<OpwTensor*>& list = tensor_lists_.emplace_back();
  for (size_t i = 0; i < places.size(); ++i) list.push_back(take());
  return value_of_list(kOpwTensorList, list.size(), static_cast<const void*>(list.data()));
}

}  // namespace opwright::jax_bridge
