// Arguments of an operator in XLA's form: tensors as buffers, in order; everything else as
// attributes named after the arguments.
//
// The attribute "_given" has the numbers of a TensorLayout that is not fixed. A missing attribute
// is None if the type is optional, otherwise the default value.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bridges/jax/jax_operator.h"
#include "bridges/jax/xla_ffi.h"
#include "bridges/operators/tensor_layout.h"
#include "opwright/c_api.h"
#include "opwright/runtime/bridge.h"

namespace opwright::jax_bridge {

// Null if there is none of that name.
struct XlaAttribute {
  XlaAttributeType type{};
  const void* value = nullptr;
};
[[nodiscard]] XlaAttribute find_attribute(const XlaAttributes& attributes, std::string_view name);

// The layout of one call: the operator's own if all calls have the same, otherwise a new one.
class CallLayout {
 public:
  // TypeError for a "_given" that does not match.
  CallLayout(const JaxOperator& op, const XlaAttributes& attributes);
  CallLayout(const CallLayout&) = delete;
  CallLayout& operator=(const CallLayout&) = delete;

  const bridges::TensorLayout& operator*() const { return made_ ? *made_ : *fixed_; }
  const bridges::TensorLayout* operator->() const { return &**this; }

 private:
  const bridges::TensorLayout* fixed_;
  std::optional<bridges::TensorLayout> made_;
};

// The values of a call over `tensors`; valid while they, the attributes and the operator are.
class BoundArguments {
 public:
  // TypeError, with its name, for an attribute that is missing or has a wrong type.
  BoundArguments(const JaxOperator& op, const bridges::TensorLayout& layout,
                 const XlaAttributes& attributes, std::span<OpwTensor* const> tensors);
  BoundArguments(const BoundArguments&) = delete;
  BoundArguments& operator=(const BoundArguments&) = delete;

  [[nodiscard]] std::span<const OpwValue> values() const { return values_; }

 private:
  OpwValue read_tensors(const ValueType& type, const std::vector<bool>& places,
                        std::span<OpwTensor* const>& tensors);

  std::vector<OpwValue> values_;
  std::deque<std::vector<OpwTensor*>> tensor_lists_;
  std::deque<std::vector<OpwValue>> lists_;
};

}  // namespace opwright::jax_bridge
