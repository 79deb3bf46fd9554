// Fills tensors with elements computed from random words, in chunks on many threads.
//
// A distribution has
//   Element                         what it computes: float, double, int64_t or bool
//   kWords                          how many words an element needs
//   compute(words, out)             one group: kGroupWords elements; OPWRIGHT_INLINE. Word k of
//                                   element i is words[k * kGroupWords + i]
// The words of element i depend only on i and on the generator's state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "opwright/base/thread_pool.h"
#include "opwright/dtype.h"
#include "opwright/ops/engine/cpu/conversion.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/random/philox.h"
#include "opwright/ops/engine/shape/in_place.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/tensor/factory.h"

namespace opwright {

inline constexpr int64_t kChunkGroups = 16;
inline constexpr int64_t kChunkElements = kChunkGroups * kGroupWords;

template <class Distribution>
struct ComputeGroups {
  OPWRIGHT_INLINE static void run(const Distribution* given, const uint32_t* words,
                                  typename Distribution::Element* out, int64_t groups) {
    const Distribution distribution = *given;
    for (int64_t group = 0; group < groups; ++group) {
      distribution.compute(words + group * kGroupWords * Distribution::kWords,
                           out + group * kGroupWords);
    }
  }
};

// Calls write(begin, elements, count) for chunks of elements that cover [0, numel); `elements` may
// be modified.
template <class Distribution, class Write>
void for_each_chunk(const Distribution& distribution, RandomState& state, int64_t numel,
                    const Write& write) {
  using Element = typename Distribution::Element;
  constexpr int64_t kWords = Distribution::kWords;
  constexpr int64_t kGrain = 32;  // chunks
  const int64_t groups = (numel + kGroupWords - 1) / kGroupWords;
  const CounterRange range = state.reserve(static_cast<uint64_t>(groups * kWords) * kCounterGroup);
  parallel_for((groups + kChunkGroups - 1) / kChunkGroups, kGrain, [&](int64_t chunk, int64_t end) {
    alignas(64) uint32_t words[kChunkElements * kWords];
    alignas(64) Element elements[kChunkElements];
    for (; chunk < end; ++chunk) {
      const int64_t first = chunk * kChunkGroups;
      const int64_t count = std::min(kChunkGroups, groups - first);
      draw_words(range.seed, range.first + static_cast<uint64_t>(first * kWords) * kCounterGroup,
                 count * kWords, words);
      run_at_level<ComputeGroups<Distribution>>(&distribution, words, elements, count);
      const int64_t begin = first * kGroupWords;
      write(begin, elements, std::min(count * kGroupWords, numel - begin));
    }
  });
}

// Fills `self` through contiguous memory of its sizes: elements are numbered in logical order,
// whatever the strides.
template <class Fill>
void fill_dense(const char* who, const Tensor& self, const Fill& fill) {
  check_writable(who, self);
  if (self.numel() == 0) return;
  if (self.is_contiguous()) return fill(self);
  const Tensor dense = make_empty(self.sizes(), self.dtype());
  fill(dense);
  copy_elements(self, dense);
}

// Fills `self` with elements of the distribution, converted to its dtype; a complex number is two
// of them. `change(elements, count)` may modify them before that.
template <class Distribution, class Change>
void fill_random(const char* who, const Tensor& self, RandomState& state,
                 const Distribution& distribution, const Change& change) {
  using Element = typename Distribution::Element;
  const DType dtype = real_dtype(self.dtype());
  const ConversionFunction convert = find_conversion(dtype, dtype_of<Element>());
  const auto item = static_cast<int64_t>(item_size(dtype));
  fill_dense(who, self, [&](const Tensor& dense) {
    auto* out = static_cast<std::byte*>(dense.mutable_data());
    const int64_t numel = dense.numel() * (is_complex(self.dtype()) ? 2 : 1);
    for_each_chunk(distribution, state, numel,
                   [&](int64_t begin, Element* elements, int64_t count) {
                     change(elements, count);
                     convert(out + begin * item, item, reinterpret_cast<const std::byte*>(elements),
                             sizeof(Element), count);
                   });
  });
}
template <class Distribution>
void fill_random(const char* who, const Tensor& self, RandomState& state,
                 const Distribution& distribution) {
  fill_random(who, self, state, distribution, [](auto*, int64_t) {});
}

}  // namespace opwright
