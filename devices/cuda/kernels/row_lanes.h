// Rows of elements held in registers by the lanes of a block: packs of up to 16 bytes, and sums and
// maxima over all lanes of a row.
//
// A block has blockDim.x lanes for one row, a multiple of 32, and blockDim.y rows; with more than
// 32 lanes there is one row.
#pragma once

#include <cuda_runtime.h>

#include "devices/cuda/kernels/number.h"

namespace opwright::cuda {

struct AddLanes {
  template <class C>
  __device__ __forceinline__ static C apply(C a, C b) {
    return a + b;
  }
};
// NaN is the largest.
struct LargestLane {
  template <class C>
  __device__ __forceinline__ static C apply(C a, C b) {
    return a > b || a != a ? a : b;
  }
};

// Over all lanes of the row, returned in every lane. All threads of the block must call it.
template <class Operation, class C>
__device__ __forceinline__ C over_lanes(C value, C identity) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = Operation::apply(value, __shfl_xor_sync(0xffffffffU, value, distance));
  if (blockDim.x == 32) return value;
  __shared__ C shared[32];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  __syncthreads();  // earlier shared data has been read
  if (lane == 0) shared[warp] = value;
  __syncthreads();
  value = lane < blockDim.x / 32 ? shared[lane] : identity;
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = Operation::apply(value, __shfl_xor_sync(0xffffffffU, value, distance));
  return value;
}
template <class C>
__device__ __forceinline__ C sum_over_lanes(C value) {
  return over_lanes<AddLanes>(value, C(0));
}

template <class T, int kWidth>
struct alignas(sizeof(T) * kWidth) RowPack {
  T elements[kWidth];
};

// The elements of a row that one lane holds: kPacks packs of kWidth, blockDim.x packs apart.
template <class T, class C, int kPacks, int kWidth>
struct RowPart {
  C values[kPacks][kWidth];

  // Calls take(pack, index of its first element in the row) for every pack.
  template <class Take>
  __device__ __forceinline__ static void for_each_pack(int length, const Take& take) {
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      const int first = (static_cast<int>(threadIdx.x) + k * static_cast<int>(blockDim.x)) * kWidth;
      if (first < length) take(k, first);
    }
  }
  // Calls take(pack, element) for every element.
  template <class Take>
  __device__ __forceinline__ static void for_each(int length, const Take& take) {
    for_each_pack(length, [&](int k, int) {
#pragma unroll
      for (int e = 0; e < kWidth; ++e) take(k, e);
    });
  }
  __device__ __forceinline__ void load(const T* row, int length, C beyond) {
    RowPack<T, kWidth> packs[kPacks];
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      const int pack = static_cast<int>(threadIdx.x) + k * static_cast<int>(blockDim.x);
      if (pack * kWidth < length) packs[k] = reinterpret_cast<const RowPack<T, kWidth>*>(row)[pack];
    }
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      const int pack = static_cast<int>(threadIdx.x) + k * static_cast<int>(blockDim.x);
#pragma unroll
      for (int e = 0; e < kWidth; ++e)
        values[k][e] = pack * kWidth < length ? convert<C>(packs[k].elements[e]) : beyond;
    }
  }
  __device__ __forceinline__ void store(T* row, int length) const {
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      const int pack = static_cast<int>(threadIdx.x) + k * static_cast<int>(blockDim.x);
      if (pack * kWidth >= length) continue;
      RowPack<T, kWidth> stored;
#pragma unroll
      for (int e = 0; e < kWidth; ++e) stored.elements[e] = convert<T>(values[k][e]);
      reinterpret_cast<RowPack<T, kWidth>*>(row)[pack] = stored;
    }
  }
};

// The maximum number of threads of a kernel that holds rows in registers.
inline constexpr int kMostRowThreads = 512;

// How rows of a length are distributed to lanes.
struct RowPlan {
  int width;  // elements of a pack: as many as fit in 16 bytes (except one double), or one
  int packs;  // per lane: 1, 4 or 8; 0 if the row is too long
  dim3 threads;
  unsigned blocks;
};
// `is_aligned`: the first element of every row is aligned, if the length is a multiple of the pack.
inline RowPlan plan_rows(int64_t rows, int64_t length, size_t item, bool is_aligned) {
  RowPlan plan{};
  const int64_t widest = item == 8 ? 1 : static_cast<int64_t>(16 / item);
  plan.width = static_cast<int>(is_aligned && length % widest == 0 ? widest : 1);
  const int64_t packs = (length + plan.width - 1) / plan.width;
  int64_t lanes = 32;
  while (lanes < kMostRowThreads && lanes * 4 < packs) lanes *= 2;
  const int64_t of_lane = (packs + lanes - 1) / lanes;
  plan.packs = of_lane <= 1 ? 1 : of_lane <= 4 ? 4 : of_lane <= 8 ? 8 : 0;
  const int64_t at_once = lanes == 32 ? 4 : 1;
  plan.threads = dim3(static_cast<unsigned>(lanes), static_cast<unsigned>(at_once));
  plan.blocks = static_cast<unsigned>((rows + at_once - 1) / at_once);
  return plan;
}

// Calls body.template operator()<kPacks, kWidth>() for a plan whose packs are not 0.
template <class T, class Body>
void for_row_plan(const RowPlan& plan, const Body& body) {
  constexpr int kWidest = sizeof(T) == 8 ? 1 : 16 / sizeof(T);
  const auto with_width = [&]<int kWidth>() {
    if (plan.packs == 1) return body.template operator()<1, kWidth>();
    if (plan.packs == 4) return body.template operator()<4, kWidth>();
    return body.template operator()<8, kWidth>();
  };
  if (plan.width == 1) return with_width.template operator()<1>();
  return with_width.template operator()<kWidest>();
}

}  // namespace opwright::cuda
