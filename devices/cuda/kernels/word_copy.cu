#include <cuda_runtime.h>

#include "devices/cuda/device.h"
#include "devices/cuda/kernels/word_copy.h"

namespace opwright::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kTile = 32;
constexpr int kTileRows = 8;

struct CopyArguments {
  IndexSpace space;
  int64_t to_strides[kMostDimensions];
  int64_t from_strides[kMostDimensions];
};

template <class Word>
__global__ void __launch_bounds__(kThreads)
    copy_kernel(const __grid_constant__ CopyArguments copy, Word* to, const Word* from) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= copy.space.count) return;
  to[copy.space.place(i, copy.to_strides)] = from[copy.space.place(i, copy.from_strides)];
}

// A matrix with contiguous rows in one memory and contiguous columns in the other: copied through
// tiles, so that both sides are accessed along their memory.
template <class Word>
__global__ void transpose_kernel(int64_t rows, int64_t columns, int64_t to_stride,
                                 int64_t from_stride, int64_t to_batch, int64_t from_batch,
                                 Word* to, const Word* from) {
  __shared__ Word tile[kTile][kTile + 1];
  to += blockIdx.z * to_batch;
  from += blockIdx.z * from_batch;
  const int64_t row0 = int64_t{blockIdx.y} * kTile;
  const int64_t column0 = int64_t{blockIdx.x} * kTile;
  for (int k = threadIdx.y; k < kTile; k += kTileRows) {  // read along the rows' memory
    const int64_t row = row0 + threadIdx.x;
    const int64_t column = column0 + k;
    if (row < rows && column < columns) tile[k][threadIdx.x] = from[row + column * from_stride];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < kTile; k += kTileRows) {
    const int64_t row = row0 + k;
    const int64_t column = column0 + threadIdx.x;
    if (row < rows && column < columns) to[row * to_stride + column] = tile[threadIdx.x][k];
  }
}

// The innermost dimension is contiguous in the destination, the one before it in the source.
bool is_transposition(const JoinedSpace& space) {
  const int rank = space.rank();
  if (rank < 2 || rank > 3) return false;
  constexpr int64_t kMostBlocks = 65535;
  return space.stride(0, rank - 1) == 1 && space.stride(1, rank - 2) == 1 &&
         space.size(rank - 1) >= kTile / 2 && space.size(rank - 2) >= kTile / 2 &&
         blocks_for(space.size(rank - 2), kTile) <= kMostBlocks &&
         (rank == 2 || space.size(0) <= kMostBlocks);
}

template <class Word>
void copy_as(const JoinedSpace& space, void* to, const void* from, cudaStream_t stream) {
  auto* words = static_cast<Word*>(to);
  const auto* source = static_cast<const Word*>(from);
  const int rank = space.rank();
  if (is_transposition(space)) {
    const int64_t rows = space.size(rank - 2);
    const int64_t columns = space.size(rank - 1);
    const dim3 blocks(static_cast<unsigned>(blocks_for(columns, kTile)),
                      static_cast<unsigned>(blocks_for(rows, kTile)),
                      rank == 3 ? static_cast<unsigned>(space.size(0)) : 1);
    transpose_kernel<Word><<<blocks, dim3(kTile, kTileRows), 0, stream>>>(
        rows, columns, space.stride(0, rank - 2), space.stride(1, rank - 1),
        rank == 3 ? space.stride(0, 0) : 0, rank == 3 ? space.stride(1, 0) : 0, words, source);
    return;
  }
  CopyArguments copy{};
  copy.space = space.index_space("a copy");
  space.copy_strides(0, copy.to_strides);
  space.copy_strides(1, copy.from_strides);
  const auto blocks = static_cast<unsigned>(blocks_for(copy.space.count, kThreads));
  copy_kernel<Word><<<blocks, kThreads, 0, stream>>>(copy, words, source);
}

}  // namespace

void copy_words(const JoinedSpace& space, size_t word_bytes, void* to, const void* from,
                int32_t index, OpwStream* stream) {
  cudaStream_t queue = cuda_stream(stream);
  if (space.is_dense(0) && space.is_dense(1)) {
    const size_t bytes = static_cast<size_t>(space.count()) * word_bytes;
    return check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, queue), "a copy",
                      index);
  }
  JoinedSpace words = space;
  while (word_bytes < 16 && words.lies_in_runs(0, 2) && words.lies_in_runs(1, 2) &&
         is_aligned_to(to, 2 * word_bytes) && is_aligned_to(from, 2 * word_bytes)) {
    words.count_words(2, {0, 1});
    word_bytes *= 2;
  }
  switch (word_bytes) {
    case 1:
      copy_as<uint8_t>(words, to, from, queue);
      break;
    case 2:
      copy_as<uint16_t>(words, to, from, queue);
      break;
    case 4:
      copy_as<uint32_t>(words, to, from, queue);
      break;
    case 8:
      copy_as<uint64_t>(words, to, from, queue);
      break;
    default:
      copy_as<ulonglong2>(words, to, from, queue);
  }
  check_launch("a copy", index);
}

}  // namespace opwright::cuda
