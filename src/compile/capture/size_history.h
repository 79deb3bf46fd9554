// SizeHistory: which dimensions of a function's tensors become symbols.
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
  // `dynamic`: none, sizes that changed; true, all; false, none. Sizes of 0 and 1 mean
  // other things to operators, and are fixed; a symbol may be 1 later.
  explicit SizeHistory(std::optional<bool> dynamic) : dynamic_(dynamic) {}

  // The dimensions that are symbols in a capture of `tensor`, which has the place `name`.
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
