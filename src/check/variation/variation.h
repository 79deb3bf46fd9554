// Other examples of the same kind as a given one.
//
// Sizes change together: what is equal in the example stays equal, unless the fake kernel tells
// that two sizes have nothing to do with each other; ints that equal a size follow it in some
// variations. Written tensors never repeat elements or share memory with others. The fuzzer of the
// built-in operators asks for wild variations, which respect nothing. Of examples of more than 4096
// elements smaller ones are varied.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "opwright/check/example/example.h"
#include "opwright/visibility.h"

namespace opwright {

struct VariationOptions {
  uint64_t seed = 0;
  bool is_wild = false;  // one or two changes that respect nothing
};

class OPWRIGHT_EXPORT Variations {
 public:
  Variations(const Example& given, VariationOptions options);
  ~Variations();
  Variations(const Variations&) = delete;
  Variations& operator=(const Variations&) = delete;

  // The next one, never the same twice. First each kind of change by itself, in rounds that take a
  // few of each kind (sizes 0 and 1, other sizes, strides, offset, repeats, dtypes, special values,
  // numbers, shared memory, gradients), then several at random. Nothing: nothing new was found. Its
  // change() says what is other than in the given one; the operator may refuse it.
  [[nodiscard]] std::optional<Example> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace opwright
