// Other examples of the same kind as a given one.
//
// Sizes change together: what is equal in the example stays equal, unless the fake kernel tells
// that two sizes have nothing to do with each other; ints that equal a size follow it in some
// variations. Written tensors never repeat elements or share memory with others. The fuzzer of the
// built-in operators asks for wild variations, which respect nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "opwright/check/example.h"

namespace opwright {

struct VariationOptions {
  uint64_t seed = 0;
  bool is_wild = false;
};

class Variations {
 public:
  Variations(const Example& given, VariationOptions options);
  ~Variations();
  Variations(const Variations&) = delete;
  Variations& operator=(const Variations&) = delete;

  // The next one: first each kind of change by itself (sizes 0 and 1, other sizes, other orders of
  // strides, gaps, an offset, repeats, dtypes, special values), then several at random, without an
  // end. Nothing: there is nothing in the example to vary. The operator may refuse it.
  [[nodiscard]] std::optional<Example> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace opwright
