// The arguments of a call under vmap, unwrapped for the level below, and their batch dimensions.
#pragma once

#include <cstddef>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/operator.h"
#include "opwright/transforms/vmap/vmap.h"
#include "opwright/value.h"

namespace opwright {

// Borrows from the arguments of the call.
class VmapArguments {
 public:
  VmapArguments(const Vmap& level, Arguments args);
  VmapArguments(const VmapArguments&) = delete;
  VmapArguments& operator=(const VmapArguments&) = delete;

  // The arguments of a Vmap rule: batch size, randomness, in_dims, then the call's arguments.
  [[nodiscard]] Arguments for_rule() const noexcept { return {values_.data(), values_.size()}; }
  [[nodiscard]] Arguments unwrapped() const noexcept { return for_rule().subspan(kLeading); }
  // The batch dimension of an argument: an int, None, or a list of these.
  [[nodiscard]] const OpwValue& dim(size_t argument) const { return dims_[argument]; }

 private:
  static constexpr size_t kLeading = 3;

  void add_list(const Vmap& level, const OpwValue& list);

  SmallVector<OpwValue, 16> values_;
  SmallVector<OpwValue, 12> dims_;
  std::vector<Value> lists_;  // list arguments, and lists of their dims
};

// The batch dimension, or None.
[[nodiscard]] inline OpwValue dim_value(const Vmap& level, const OpwTensor* tensor) {
  return tensor && level.owns(tensor) ? make_value(kOpwInt, Vmap::dim_of(tensor)) : OpwValue{};
}

}  // namespace opwright
