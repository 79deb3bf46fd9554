// A CPU loop over the elements of one written and several read operands, with any strides, in
// memory-friendly order.
//
// Dimensions are ordered by the strides of the output and merged where all operands allow it, so
// contiguous operands form one run. Large loops run on the thread pool.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "opwright/base/thread_pool.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"

namespace opwright {

inline constexpr size_t kMostOperands = 4;
// Loops with fewer elements stay on the calling thread.
inline constexpr int64_t kElementwiseGrain = 32768;

struct StridedOperand {
  std::byte* data;
  int64_t item;  // bytes of one element
  std::span<const int64_t> sizes;
  std::span<const int64_t> strides;  // in elements
};

class StridedLoop {
 public:
  using Pointers = std::array<std::byte*, kMostOperands>;
  using ByteStrides = std::array<int64_t, kMostOperands>;

  // The first operand is written; the others are read as if broadcast to its sizes.
  explicit StridedLoop(std::span<const StridedOperand> operands);
  explicit StridedLoop(std::initializer_list<const Tensor*> operands);

  [[nodiscard]] int64_t numel() const { return numel_; }
  // Innermost first; at least one unless there are no elements.
  [[nodiscard]] size_t num_dims() const { return sizes_.size(); }
  [[nodiscard]] int64_t size(size_t dim) const { return sizes_[dim]; }
  [[nodiscard]] const ByteStrides& strides(size_t dim) const { return strides_[dim]; }
  [[nodiscard]] const Pointers& pointers() const { return pointers_; }

  // Calls run(pointers, byte_strides, count) for runs that together cover every element once.
  template <class Run>
  void for_each_run(const Run& run) const {
    parallel_for(numel_, kElementwiseGrain,
                 [&](int64_t begin, int64_t end) { for_each_run_of(begin, end, run); });
  }
  // The same for the elements from `begin` to `end`, on this thread.
  template <class Run>
  void for_each_run_of(int64_t begin, int64_t end, const Run& run) const {
    if (sizes_.size() == 1) return run(pointers_at({&begin, 1}), strides_[0], end - begin);
    Sizes index = index_of(begin);
    Pointers pointers = pointers_at(index);
    for (;;) {
      const int64_t count = std::min(sizes_[0] - index[0], end - begin);
      run(pointers, strides_[0], count);
      begin += count;
      if (begin >= end) return;
      advance(index, pointers);
    }
  }

 private:
  void build(std::span<const StridedOperand> operands);
  void add_dimension(int64_t size, const ByteStrides& strides);
  [[nodiscard]] Pointers pointers_at(std::span<const int64_t> index) const {
    Pointers pointers = pointers_;
    for (size_t dim = 0; dim < index.size(); ++dim) {
      for (size_t i = 0; i < num_operands_; ++i) pointers[i] += index[dim] * strides_[dim][i];
    }
    return pointers;
  }
  [[nodiscard]] Sizes index_of(int64_t element) const;
  // Moves to the start of the next run.
  void advance(Sizes& index, Pointers& pointers) const {
    move(pointers, 0, -index[0]);
    index[0] = 0;
    for (size_t dim = 1; dim < sizes_.size(); ++dim) {
      if (++index[dim] < sizes_[dim]) return move(pointers, dim, 1);
      move(pointers, dim, 1 - sizes_[dim]);
      index[dim] = 0;
    }
  }
  void move(Pointers& pointers, size_t dim, int64_t steps) const {
    for (size_t i = 0; i < kMostOperands; ++i) pointers[i] += steps * strides_[dim][i];
  }

  size_t num_operands_ = 0;
  int64_t numel_ = 1;
  Pointers pointers_{};
  Sizes sizes_;
  SmallVector<ByteStrides, kInlineDims> strides_;
};

}  // namespace opwright
