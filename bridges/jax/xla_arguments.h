// Arguments of an operator as XLA gives them: tensors as buffers, one after the other; all else as
// attributes under the argument's name.
//
// The attribute "_given" has the numbers of a TensorLayout that is not fixed. An attribute that is
// not there is None where the type is optional, else the default value.
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
#include "opwright/bridge.h"
#include "opwright/c_api.h"

namespace opwright::jax_bridge {

// Null: there is none of that name.
struct XlaAttribute {
  XlaAttributeType type{};
  const void* value = nullptr;
};
[[nodiscard]] XlaAttribute find_attribute(const XlaAttributes& attributes, std::string_view name);

// The layout of one call: the operator's own where every call has the same, else one made for it.
class CallLayout {
 public:
  // TypeError for "_given" that does not fit.
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
  // TypeError for an attribute of a wrong type or one that is missing; names it.
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
