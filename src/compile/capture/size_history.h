// SizeHistory: decides which dimensions of a function's tensors become symbols.
//
// A size is fixed until the function is compiled for a second one; from then on it is a symbol.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opwright/compile/capture/tensor_guards.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

class OPWRIGHT_EXPORT SizeHistory {
 public:
  // `dynamic`: nullopt, sizes that changed; true, all; false, none. Sizes of 0 and 1 are always
  // fixed, since operators treat them specially; a symbol may later be 1.
  explicit SizeHistory(std::optional<bool> dynamic) : dynamic_(dynamic) {}

  // The dimensions that are symbols in a capture of `tensor`, known as `name`.
  [[nodiscard]] TensorGuards::DynamicDims note(const std::string& name, const Tensor& tensor);

 private:
  struct Seen {
    std::vector<int64_t> sizes;
    TensorGuards::DynamicDims changed = 0;
  };
  std::optional<bool> dynamic_;
  std::map<std::pair<std::string, int64_t>, Seen> seen_;  // by name and rank
};

}  // namespace opwright
