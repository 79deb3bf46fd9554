// Arguments of an operator as XLA gives them: tensors as buffers, one after the other; all else as
// attributes under the argument's name.
//
// The attribute "_given" tells which of the tensors that may be missing are there: a list of ints
// that is read in schema order, one for a `Tensor?` (0 or 1), the length for a `Tensor[]`, both for
// a `Tensor[]?`, and for `Tensor?[]` the length and then 0 or 1 for each. An attribute that is not
// there is None where the type is optional, else the default value.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "bridges/jax/jax_operator.h"
#include "bridges/jax/xla_ffi.h"
#include "opwright/c_api.h"

namespace opwright::jax_bridge {

// Null: there is none of that name.
struct XlaAttribute {
  XlaAttributeType type{};
  const void* value = nullptr;
};
[[nodiscard]] XlaAttribute find_attribute(const XlaAttributes& attributes, std::string_view name);

// Which tensors a call has.
class TensorLayout {
 public:
  // TypeError for "_given" that does not fit the schema.
  TensorLayout(const JaxOperator& op, const XlaAttributes& attributes);

  // The number of buffers.
  [[nodiscard]] size_t size() const { return argument_of_.size(); }
  // The argument that buffer `index` belongs to.
  [[nodiscard]] size_t argument_of(size_t index) const { return argument_of_[index]; }
  // One for each tensor that the schema has room for in that argument; false: None.
  [[nodiscard]] const std::vector<bool>& places(size_t argument) const { return places_[argument]; }
  [[nodiscard]] bool is_none(size_t argument) const { return is_none_[argument]; }

 private:
  void read_argument(const JaxOperator& op, size_t argument);
  int64_t next(const JaxOperator& op);

  std::span<const int64_t> given_;
  std::vector<size_t> argument_of_;
  std::vector<std::vector<bool>> places_;
  std::vector<bool> is_none_;
};

// The values of a call over `tensors`; valid while they, the attributes and the operator are.
class BoundArguments {
 public:
  // TypeError for an attribute of a wrong type or one that is missing; names it.
  BoundArguments(const JaxOperator& op, const TensorLayout& layout, const XlaAttributes& attributes,
                 std::span<OpwTensor* const> tensors);
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
