// Properties that an operator declares in addition to its schema. A tag that is not set implies
// nothing.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "opwright/visibility.h"

namespace opwright OPWRIGHT_VISIBILITY {
enum class Tag : uint8_t {
  Pointwise,         // element i of the result depends on element i of the broadcast inputs only
  Reduction,         // reduces dimensions
  View,              // results alias an argument and no memory is written
  Core,              // in the set that decompositions end in
  Inplace,           // writes its first argument and returns it
  Out,               // writes its `out` arguments and returns them
  Nondeterministic,  // two calls with the same inputs may differ
  NondeterministicSeeded,  // differs only by the state of a generator
  DataDependentOutput,     // reads data to return a number (item)
  DynamicOutputShape,      // the sizes of the results depend on data (nonzero)
  Blocking,                // may run long: the GIL is released
  AllowsMixedDevices,      // accepts tensors of several devices (copy)
  NeedsExactStrides,       // a rewrite must keep the strides of its inputs
  Nondifferentiable,       // no result carries a gradient (detach, a comparison)
  Ordered,                 // has an effect: never removed from a graph or moved past another such
};

// A set of tags.
class Tags {
 public:
  constexpr Tags() = default;
  constexpr Tags(std::initializer_list<Tag> tags) {
    for (const Tag tag : tags) bits_ |= bit(tag);
  }
  // The inverse of bits().
  [[nodiscard]] static constexpr Tags from_bits(uint64_t bits) {
    Tags tags;
    tags.bits_ = bits;
    return tags;
  }
  [[nodiscard]] constexpr bool has(Tag tag) const { return (bits_ & bit(tag)) != 0; }
  [[nodiscard]] constexpr uint64_t bits() const { return bits_; }
  friend constexpr bool operator==(Tags, Tags) = default;

 private:
  static constexpr uint64_t bit(Tag tag) { return uint64_t{1} << static_cast<uint8_t>(tag); }
  uint64_t bits_ = 0;
};
}  // namespace opwright
