// The values of a trace that every run has: literals, and what is computed from them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "opwright/tensor.h"

namespace opwright {

class GraphValue;

class ConstantValues {
 public:
  // A result with more elements is not kept: what is read is a number.
  static constexpr int64_t kMostElements = 1;
  // A call with a larger tensor is not computed: it takes as long as the tensor is large, and a
  // literal may repeat few bytes by its strides.
  static constexpr int64_t kMostArgumentElements = int64_t{1} << 20;

  [[nodiscard]] bool is_empty() const noexcept { return values_.empty(); }
  // `version` is that of the memory that the trace shows for the value.
  void add(const GraphValue& value, Tensor constant, uint64_t version) {
    values_.insert_or_assign(&value, Constant{std::move(constant), version});
  }
  // Null: it is not constant, or its memory was written since.
  [[nodiscard]] OpwTensor* find(const GraphValue& value, uint64_t version) const {
    const auto found = values_.find(&value);
    const bool is_known = found != values_.end() && found->second.version == version;
    return is_known ? found->second.tensor.get() : nullptr;
  }
  void clear() noexcept { values_.clear(); }

 private:
  struct Constant {
    Tensor tensor;  // real
    uint64_t version;
  };
  std::unordered_map<const GraphValue*, Constant> values_;
};

}  // namespace opwright
