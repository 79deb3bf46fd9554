// A loop over the elements of one written and some read tensors on the CPU, of any strides.
//
// Dimensions are ordered by the strides of the output and joined where all operands allow it, so
// that contiguous operands are one run. Runs go to the thread pool when there are many elements.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "opwright/base/thread_pool.h"
#include "opwright/symbolic/sizes.h"
#include "opwright/tensor.h"

namespace opwright {

inline constexpr size_t kMostOperands = 3;
// Below this number of elements a loop stays on its caller.
inline constexpr int64_t kElementwiseGrain = 32768;

class StridedLoop {
 public:
  using Pointers = std::array<std::byte*, kMostOperands>;
  using ByteStrides = std::array<int64_t, kMostOperands>;

  // The first operand is written, the others are read as if broadcast to its sizes.
  explicit StridedLoop(std::initializer_list<const Tensor*> operands);

  // Calls run(pointers, byte_strides, count) for runs that together cover every element once.
  template <class Run>
  void for_each_run(const Run& run) const {
    parallel_for(numel_, kElementwiseGrain, [&](int64_t begin, int64_t end) {
      if (sizes_.size() == 1) return run(pointers_at({&begin, 1}), inner_strides_, end - begin);
      Sizes index = index_of(begin);
      while (begin < end) {
        const int64_t count = std::min(sizes_[0] - index[0], end - begin);
        run(pointers_at(index), inner_strides_, count);
        begin += count;
        index[0] += count - 1;
        advance(index);
      }
    });
  }

 private:
  void add_dimension(int64_t size, const ByteStrides& strides);
  [[nodiscard]] Pointers pointers_at(std::span<const int64_t> index) const {
    Pointers pointers = pointers_;
    for (size_t dim = 0; dim < index.size(); ++dim) {
      for (size_t i = 0; i < num_operands_; ++i) pointers[i] += index[dim] * strides_[dim][i];
    }
    return pointers;
  }
  [[nodiscard]] Sizes index_of(int64_t element) const;
  void advance(Sizes& index) const;

  size_t num_operands_;
  int64_t numel_;
  Pointers pointers_{};
  ByteStrides inner_strides_{};
  Sizes sizes_;  // innermost first, at least one
  SmallVector<ByteStrides, kInlineDims> strides_;
};

}  // namespace opwright
