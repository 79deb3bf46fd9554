// Assigns offsets in one block to values with different lifetimes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opwright {

// Both ends are times of one clock; two lifetimes overlap unless one ends before the other begins.
struct Lifetime {
  size_t bytes = 0;
  uint32_t born = 0;
  uint32_t died = 0;
};

inline constexpr size_t kNotPlaced = SIZE_MAX;

struct Placement {
  std::vector<size_t> offsets;  // one per lifetime, aligned to 64; kNotPlaced: left out
  size_t bytes = 0;             // size of the block
};

// Places the largest first, each in the smallest gap that fits among overlapping lifetimes.
// Lifetimes of zero bytes are left out, as are the smallest beyond kMostPlaced, because the work is
// quadratic.
inline constexpr size_t kMostPlaced = 20'000;
[[nodiscard]] Placement place(std::span<const Lifetime> lives);

}  // namespace opwright
