// Derives other examples from a given one.
//
// Sizes change together: equal sizes stay equal, unless the fake kernel shows that two sizes are
// unrelated; ints that equal a size follow it in some variations. Written tensors never repeat
// elements or share memory with others. The fuzzer of the built-in operators uses wild variations,
// which keep none of these rules. Examples of more than 4096 elements are reduced first.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "opwright/check/example/example.h"
#include "opwright/visibility.h"

namespace opwright {

struct VariationOptions {
  uint64_t seed = 0;
  bool is_wild = false;  // one or two changes without these rules
};

class OPWRIGHT_EXPORT Variations {
 public:
  Variations(const Example& given, VariationOptions options);
  ~Variations();
  Variations(const Variations&) = delete;
  Variations& operator=(const Variations&) = delete;

  // The next variation; never the same twice. First each kind of change alone, in rounds that take
  // a few of each kind (sizes 0 and 1, other sizes, strides, offset, repeats, dtypes, special
  // values, numbers, shared memory, gradients), then random combinations. nullopt if nothing new
  // was found. change() says how it differs from the given example; the operator may reject it.
  [[nodiscard]] std::optional<Example> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace opwright
