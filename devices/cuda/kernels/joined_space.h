// The dimensions of a call, merged where the memory allows it.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "devices/cuda/kernels/index_space.h"
#include "devices/cuda/kernels/loop_arguments.h"
#include "opwright/c_api.h"

namespace opwright::cuda {

inline constexpr size_t kMostMemories = 12;  // that share the dimensions of one call

class JoinedSpace {
 public:
  // `strides` has one entry for each memory; null for a number, which has no strides.
  JoinedSpace(uint32_t rank, const int64_t* sizes, std::span<const int64_t* const> strides);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int64_t count() const;
  [[nodiscard]] int64_t size(int dim) const { return sizes_[static_cast<size_t>(dim)]; }
  [[nodiscard]] int64_t stride(size_t memory, int dim) const {
    return strides_[memory][static_cast<size_t>(dim)];
  }
  void set_size(int dim, int64_t size) { sizes_[static_cast<size_t>(dim)] = size; }
  // All elements are contiguous.
  [[nodiscard]] bool is_dense(size_t memory) const;
  // One element is used for all.
  [[nodiscard]] bool is_repeated(size_t memory) const;
  // The innermost dimension consists of runs of `length` elements that are contiguous in memory,
  // each at a multiple of `length`.
  [[nodiscard]] bool lies_in_runs(size_t memory, int64_t length) const;
  // Counts runs of the innermost dimension instead of elements; strides stay in elements.
  void count_runs(int64_t length);
  // The same, with the strides of some memories in runs as well.
  void count_words(int64_t length, std::initializer_list<size_t> memories);

  // NotImplementedError, with `who` in its text, for more dimensions than kernels support.
  [[nodiscard]] IndexSpace index_space(const char* who) const;
  void copy_strides(size_t memory, int64_t* strides) const;

 private:
  int rank_ = 0;
  size_t num_memories_;
  // Set up to rank_ and num_memories_: initializing the rest would cost more than most calls.
  std::array<int64_t, 64> sizes_;
  std::array<std::array<int64_t, 64>, kMostMemories> strides_;
};

// NotImplementedError for a dtype that no kernel supports.
Element element_of(OpwDtype dtype, const char* who);
size_t bytes_of(OpwDtype dtype);
LoopNumber loop_number(const OpwValue& value);

}  // namespace opwright::cuda
