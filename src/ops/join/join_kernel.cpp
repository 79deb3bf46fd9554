// cat of dense tensors on the CPU.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "opwright/ops/engine/cpu/dense_lanes.h"
#include "opwright/ops/engine/cpu/strided_loop.h"
#include "opwright/ops/join/join.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/memory_format.h"

namespace opwright {
namespace {

constexpr size_t kMostJoined = 64;
constexpr int64_t kGrainBytes = kElementwiseGrain * 4;

// What one tensor adds to each joined row.
struct Piece {
  const std::byte* from;
  int64_t bytes;  // per row
};

bool are_dense(std::span<const Tensor> tensors, int64_t dim) {
  if (tensors.empty() || tensors.size() > kMostJoined) return false;
  const Tensor& first = tensors.front();
  if (dim < -first.dim() || dim >= first.dim()) return false;
  return std::ranges::all_of(tensors, [&](const Tensor& tensor) {
    return tensor.dtype() == first.dtype() && are_equal_but_for(first, tensor, dim) &&
           tensor.is_contiguous() && tensor.device() == first.device() &&
           suggest_memory_format(tensor.sizes(), tensor.strides()) == MemoryFormat::Contiguous;
  });
}

void join_rows(std::byte* to, std::span<const Piece> pieces, int64_t row_bytes, int64_t begin,
               int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    std::byte* target = to + row * row_bytes;
    for (const Piece& piece : pieces) {
      if (piece.bytes == 0) continue;
      std::memcpy(target, piece.from + row * piece.bytes, static_cast<size_t>(piece.bytes));
      target += piece.bytes;
    }
  }
}

// A single row: each piece is split over threads.
void join_one_row(std::byte* to, std::span<const Piece> pieces) {
  for (const Piece& piece : pieces) {
    parallel_for(piece.bytes, kGrainBytes, [&](int64_t begin, int64_t end) {
      std::memcpy(to + begin, piece.from + begin, static_cast<size_t>(end - begin));
    });
    to += piece.bytes;
  }
}

}  // namespace

Tensor cat_cpu(std::span<const Tensor> tensors, int64_t dim) {
  if (!are_dense(tensors, dim)) return cat_all_devices(tensors, dim);
  const Tensor& first = tensors.front();
  const auto item = static_cast<int64_t>(item_size(first.dtype()));
  const auto along = static_cast<size_t>(dim < 0 ? dim + first.dim() : dim);
  const DenseLanes lanes = *find_dense_lanes(first, dim);
  SmallVector<Piece, 8> pieces;
  Sizes sizes(first.sizes());
  sizes[along] = 0;
  int64_t row_bytes = 0;
  for (const Tensor& tensor : tensors) {
    const int64_t length = tensor.sizes()[along];
    const int64_t bytes = length * lanes.inner * item;
    pieces.push_back({static_cast<const std::byte*>(tensor.data()), bytes});
    sizes[along] += length;
    row_bytes += bytes;
  }
  Tensor result = make_empty(sizes, first.dtype());
  auto* to = static_cast<std::byte*>(result.mutable_data());
  if (result.numel() == 0) return result;
  if (lanes.outer == 1) {
    join_one_row(to, pieces);
  } else {
    parallel_for(lanes.outer, std::max<int64_t>(1, kGrainBytes / row_bytes),
                 [&](int64_t begin, int64_t end) { join_rows(to, pieces, row_bytes, begin, end); });
  }
  return result;
}

}  // namespace opwright
