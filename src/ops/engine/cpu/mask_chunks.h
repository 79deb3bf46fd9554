// Splits a mask into chunks for threads and computes where the true elements of each chunk go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "opwright/base/thread_pool.h"

namespace opwright {

class MaskChunks {
 public:
  static constexpr int64_t kChunk = 16384;

  // `mask` is dense and must stay alive.
  MaskChunks(const bool* mask, int64_t numel)
      : mask_(mask),
        numel_(numel),
        starts_(static_cast<size_t>((numel + kChunk - 1) / kChunk) + 1) {
    for_each_piece([&](int64_t piece, int64_t begin, int64_t end) {
      int64_t count = 0;
      for (int64_t i = begin; i < end; ++i) count += mask_[i] ? 1 : 0;
      starts_[static_cast<size_t>(piece) + 1] = count;
    });
    for (size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  }

  // The number of true elements.
  [[nodiscard]] int64_t count() const { return starts_.back(); }

  // Calls visit(begin, end, rank) for chunks of the mask; `rank` true elements precede each.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for_each_piece([&](int64_t piece, int64_t begin, int64_t end) {
      visit(begin, end, starts_[static_cast<size_t>(piece)]);
    });
  }

 private:
  template <class Visit>
  void for_each_piece(const Visit& visit) const {
    parallel_for(static_cast<int64_t>(starts_.size()) - 1, 2, [&](int64_t first, int64_t last) {
      for (int64_t piece = first; piece < last; ++piece)
        visit(piece, piece * kChunk, std::min(numel_, (piece + 1) * kChunk));
    });
  }

  const bool* mask_;
  int64_t numel_;
  std::vector<int64_t> starts_;
};

}  // namespace opwright
