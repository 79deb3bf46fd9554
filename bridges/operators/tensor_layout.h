// The tensors that a call has, for hosts that pass them one after the other.
//
// Plain `Tensor` arguments are always present. The others are described by numbers, in schema
// order: one for a `Tensor?` (0 or 1), the length for a `Tensor[]`, both for a `Tensor[]?`, and for
// `Tensor?[]` the length and then 0 or 1 for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/runtime/bridge.h"

namespace opwright::bridges {

class TensorLayout {
 public:
  // TypeError for numbers that do not match the schema.
  TensorLayout(const OperatorDescription& op, std::span<const int64_t> given);

  // The number of tensors.
  [[nodiscard]] size_t size() const { return argument_of_.size(); }
  // The argument that tensor `index` belongs to.
  [[nodiscard]] size_t argument_of(size_t index) const { return argument_of_[index]; }
  // Whether an entire argument is None.
  [[nodiscard]] bool is_none(size_t argument) const { return is_none_[argument]; }
  // One for each tensor slot of that argument; false for None.
  [[nodiscard]] const std::vector<bool>& places(size_t argument) const { return places_[argument]; }

 private:
  void read_argument(const OperatorDescription& op, size_t argument,
                     std::span<const int64_t>& given);

  std::vector<size_t> argument_of_;
  std::vector<std::vector<bool>> places_;
  std::vector<bool> is_none_;
};

// Whether every call of the operator has the same tensors, so that no numbers are needed.
[[nodiscard]] bool has_fixed_layout(const OperatorDescription& op);

}  // namespace opwright::bridges
