// Offsets in one block for values that live at different times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opwright {

// Both ends are moments of one clock; two lives meet unless one ends before the other begins.
struct Lifetime {
  size_t bytes = 0;
  uint32_t born = 0;
  uint32_t died = 0;
};

inline constexpr size_t kNotPlaced = SIZE_MAX;

struct Placement {
  std::vector<size_t> offsets;  // one for each life, aligned to 64; kNotPlaced: left out
  size_t bytes = 0;             // of the block
};

// The largest first, each into the smallest gap that it fits among those that live with it. Lives
// of no bytes are left out and, of more than kMostPlaced, the smallest: the work grows with their
// square.
inline constexpr size_t kMostPlaced = 20'000;
[[nodiscard]] Placement place(std::span<const Lifetime> lives);

}  // namespace opwright
