// How kernels find the elements of strided memory: with a struct of sizes and strides that is an
// argument. Kernels are generated for a few ranks, and dimensions of one element pad to the next;
// the host iterates over the outermost dimensions of very high ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace opwright::opencl {

// Kernel arguments have at most 1024 bytes in all; those besides sizes and strides need fewer.
inline constexpr uint32_t kMostLayoutNumbers = 112;
inline constexpr uint32_t kMostRank = 20;

// The rank, at least `rank` and at least 1, for which kernels are generated.
[[nodiscard]] uint32_t rank_class(uint32_t rank);

// Sizes and strides of some arrays over the same elements, as the bytes of the struct Layout.
class Layout {
 public:
  // Each of `strides` has as many numbers as `sizes`, at most kMostRank.
  Layout(std::span<const int64_t> sizes, std::span<const int64_t* const> strides);

  [[nodiscard]] uint32_t rank() const { return rank_; }
  [[nodiscard]] uint64_t count() const { return count_; }
  // Whether the elements of every array are contiguous.
  [[nodiscard]] bool is_dense() const { return is_dense_; }
  // Whether an element index needs more than 32 bits.
  [[nodiscard]] bool is_wide() const { return count_ > UINT32_MAX; }
  [[nodiscard]] const std::vector<int64_t>& numbers() const { return numbers_; }

 private:
  uint32_t rank_;
  uint64_t count_ = 1;
  bool is_dense_ = true;
  std::vector<int64_t> numbers_;
};

// The struct, and the statements that compute the offset of element `i` in each array as `at0`,
// `at1`, ...
[[nodiscard]] std::string layout_struct(uint32_t rank, uint32_t num_arrays);
[[nodiscard]] std::string layout_places(uint32_t rank, uint32_t num_arrays, bool is_wide);

// Calls `body(offsets)`, with one offset for each array, for every index of the first `outer` dims.
void for_each_outer(std::span<const int64_t> sizes, std::span<const int64_t* const> strides,
                    uint32_t outer,
                    const std::function<void(std::span<const int64_t> offsets)>& body);

}  // namespace opwright::opencl
