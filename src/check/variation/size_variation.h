// Examples of other sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/check/example/example.h"
#include "opwright/check/values/random_source.h"
#include "opwright/check/variation/size_ties.h"
#include "opwright/check/variation/variation_step.h"

namespace opwright {

inline constexpr int64_t kMostVariedElements =
    4096;  // of all tensors; larger examples are varied small

struct Resizing {
  std::vector<int64_t> sizes;  // of the variables
  bool ints_follow = true;     // ints and lists of ints that equal a size that changes
  Dice* dice = nullptr;        // values are fresh ones; null: the first ones, of smaller sizes
};

// Tensors of other sizes with values of their kind, in the same order of memory, with the same gaps
// and offset. Ints that may be indices into a size stay below it. Tensors that are the same memory
// stay it. Nothing where ints would have no valid value.
[[nodiscard]] std::optional<Draft> resize(const Draft& draft, const SizeTies& ties,
                                          const Resizing& resizing);

// Elements of all tensors together, with these sizes.
[[nodiscard]] int64_t count_elements(const SizeTies& ties, std::span<const int64_t> sizes);

// An example of at most `most` elements, or the same one where the fake kernel refuses that.
[[nodiscard]] Draft reduce(const Draft& given, const SizeTies& ties, int64_t most, Dice& dice);

// Steps that give each variable a size of its own: 0, 1, others.
struct SizeSteps {
  VariationSteps zeros;
  VariationSteps ones;
  VariationSteps others;
};
[[nodiscard]] SizeSteps size_steps(const Example& example, const SizeTies& ties);
// Gives several variables sizes at random.
[[nodiscard]] VariationStep random_size_step(const Example& example, const SizeTies& ties);

}  // namespace opwright
