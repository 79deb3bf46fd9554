// Changes the sizes of an example.
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
  std::vector<int64_t> sizes;   // of the variables
  bool ints_follow = true;      // ints and lists of ints that equal a changed size
  RandomSource* rng = nullptr;  // draws new values; null: keeps the first ones, for smaller sizes
};

// Changes the sizes of tensors; keeps the kind of values, the order in memory, gaps and offset.
// Ints that may be indices into a size stay below it. Tensors in the same memory stay so. nullopt
// if ints would have no valid value.
[[nodiscard]] std::optional<Draft> resize(const Draft& draft, const SizeTies& ties,
                                          const Resizing& resizing);

// The number of elements of all tensors at these sizes.
[[nodiscard]] int64_t count_elements(const SizeTies& ties, std::span<const int64_t> sizes);

// An example of at most `most` elements, or the same one if the fake kernel rejects the smaller
// one.
[[nodiscard]] Draft reduce(const Draft& given, const SizeTies& ties, int64_t most,
                           RandomSource& rng);

// Steps that change each variable alone: to 0, to 1, to other sizes.
struct SizeSteps {
  VariationSteps zeros;
  VariationSteps ones;
  VariationSteps others;
};
[[nodiscard]] SizeSteps size_steps(const Example& example, const SizeTies& ties);
// Changes the sizes of several variables at random.
[[nodiscard]] VariationStep random_size_step(const Example& example, const SizeTies& ties);

}  // namespace opwright
