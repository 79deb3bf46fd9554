// Kernels of reductions from the functors of fold_state.h.
//
// A result is reduced by the lanes of a row of threads (contiguous elements) or by a column of them
// (contiguous results), and by several blocks if there are few results: these leave states, which a
// second kernel merges. The sizes determine every order, so results are the same in every run.
#pragma once

#include <cuda_runtime.h>

#include "devices/cuda/kernels/fold_arguments.h"
#include "devices/cuda/kernels/fold_state.h"

namespace opwright::cuda {

template <class State>
__device__ __forceinline__ State shuffle_down(const State& state, int distance) {
  static_assert(sizeof(State) % 4 == 0);
  constexpr int kWords = sizeof(State) / 4;
  union Words {
    State state;
    uint32_t words[kWords];
    __device__ Words() {}
  };
  Words from;
  Words to;
  from.state = state;
#pragma unroll
  for (int i = 0; i < kWords; ++i)
    to.words[i] = __shfl_down_sync(0xffffffffU, from.words[i], distance);
  return to.state;
}

template <class F>
__device__ __forceinline__ typename F::State merge_warp(typename F::State state) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    state = F::merge(state, shuffle_down(state, distance));
  return state;
}

// The state of all lanes, in lane 0; `warps` of 32 lanes each.
template <class F>
__device__ __forceinline__ typename F::State merge_lanes(typename F::State state, int warps) {
  using State = typename F::State;
  state = merge_warp<F>(state);
  if (warps == 1) return state;
  __shared__ alignas(16) unsigned char memory[32 * sizeof(State)];
  State* shared = reinterpret_cast<State*>(memory);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (lane == 0) shared[warp] = state;
  __syncthreads();
  state = lane < warps ? shared[lane] : F::identity();
  return warp == 0 ? merge_warp<F>(state) : state;
}

// Reads of a thread before it reduces them: fewer if the reduction is long code.
template <class State>
inline constexpr int kReadAtOnce = sizeof(State) > 16 ? 2 : 4;
template <class State>
inline constexpr int kReadOfColumnAtOnce = sizeof(State) > 16 ? 2 : 8;  // one element each

template <class F>
__device__ __forceinline__ void give_result(const FoldArguments& fold, int64_t result,
                                            const typename F::State& state) {
  if (fold.states) {
    static_cast<typename F::State*>(fold.states)[blockIdx.y * fold.kept.count + result] = state;
    return;
  }
  if (fold.result) {
    store_as(fold.result, fold.result_element, fold.kept.place(result, fold.result_strides),
             F::finish(state, fold.numbers));
  }
  if constexpr (sizeof(typename F::State) > 8) {
    if constexpr (kIsSame<typename F::State, Found<typename F::Value>>) {
      if (fold.indices) fold.indices[fold.kept.place(result, fold.index_strides)] = state.number;
    }
  }
}

// Rows: blockDim.x lanes for one result, blockDim.y results.
template <class F>
__global__ void __launch_bounds__(256) fold_rows(const __grid_constant__ FoldArguments fold) {
  using C = typename F::Value;
  const int64_t result = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const bool is_inside = result < fold.kept.count;
  typename F::State state = F::identity();
  if (is_inside) {
    const int64_t begin = blockIdx.y * fold.slice;
    const int64_t end = ::min(begin + fold.slice, fold.folded.count);
    const int64_t base = fold.kept.place(result, fold.operand.strides);
    for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
      const C value = fold.operand.load<C>(base + fold.folded.place(i, fold.folded_strides));
      state = F::step(state, value, i);
    }
  }
  state = merge_lanes<F>(state, static_cast<int>(blockDim.x) / 32);
  if (is_inside && threadIdx.x == 0) give_result<F>(fold, result, state);
}

// Rows of contiguous elements, each row aligned to 16 bytes.
template <class F, class T>
__global__ void __launch_bounds__(256) fold_dense_rows(const __grid_constant__ FoldArguments fold) {
  using C = typename F::Value;
  using State = typename F::State;
  constexpr int kWidth = 16 / sizeof(T);
  using RowPack = Pack<T, kWidth>;
  constexpr int kAtOnce = kReadAtOnce<State>;
  const int64_t result = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const bool is_inside = result < fold.kept.count;
  State state = F::identity();
  if (is_inside) {
    const int64_t begin = blockIdx.y * fold.slice;
    const int64_t end = ::min(begin + fold.slice, fold.folded.count);
    const T* row =
        static_cast<const T*>(fold.operand.data) + fold.kept.place(result, fold.operand.strides);
    State lanes[kWidth];
#pragma unroll
    for (int e = 0; e < kWidth; ++e) lanes[e] = F::identity();
    const int64_t packed_end = begin + (end - begin) / kWidth * kWidth;
    int64_t i = begin + int64_t{threadIdx.x} * kWidth;
    const int64_t stride = int64_t{blockDim.x} * kWidth;
    for (; i + (kAtOnce - 1) * stride < packed_end; i += kAtOnce * stride) {
      RowPack packs[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        packs[k] = *reinterpret_cast<const RowPack*>(row + i + k * stride);
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
#pragma unroll
        for (int e = 0; e < kWidth; ++e)
          lanes[e] = F::step(lanes[e], convert<C>(packs[k].elements[e]), i + k * stride + e);
      }
    }
    for (; i < packed_end; i += stride) {
      const RowPack pack = *reinterpret_cast<const RowPack*>(row + i);
#pragma unroll
      for (int e = 0; e < kWidth; ++e)
        lanes[e] = F::step(lanes[e], convert<C>(pack.elements[e]), i + e);
    }
#pragma unroll
    for (int e = 0; e < kWidth; ++e) state = F::merge(state, lanes[e]);
    for (int64_t rest = packed_end + threadIdx.x; rest < end; rest += blockDim.x)
      state = F::step(state, convert<C>(row[rest]), rest);
  }
  state = merge_lanes<F>(state, static_cast<int>(blockDim.x) / 32);
  if (is_inside && threadIdx.x == 0) give_result<F>(fold, result, state);
}

// Columns: one thread per result, blockDim.y of them for one.
template <class F>
__global__ void __launch_bounds__(256) fold_columns(const __grid_constant__ FoldArguments fold) {
  using C = typename F::Value;
  using State = typename F::State;
  constexpr int kAtOnce = kReadOfColumnAtOnce<State>;
  const int64_t result = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const bool is_inside = result < fold.kept.count;
  State state = F::identity();
  if (is_inside) {
    const int64_t begin = blockIdx.y * fold.slice;
    const int64_t end = ::min(begin + fold.slice, fold.folded.count);
    const int64_t base = fold.kept.place(result, fold.operand.strides);
    const int64_t stride = blockDim.y;
    int64_t i = begin + threadIdx.y;
    for (; i + (kAtOnce - 1) * stride < end; i += kAtOnce * stride) {
      C values[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        values[k] =
            fold.operand.load<C>(base + fold.folded.place(i + k * stride, fold.folded_strides));
      }
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) state = F::step(state, values[k], i + k * stride);
    }
    for (; i < end; i += stride) {
      state =
          F::step(state, fold.operand.load<C>(base + fold.folded.place(i, fold.folded_strides)), i);
    }
  }
  if (blockDim.y > 1) {
    __shared__ alignas(16) unsigned char memory[256 * sizeof(State)];
    State* shared = reinterpret_cast<State*>(memory);
    shared[threadIdx.y * blockDim.x + threadIdx.x] = state;
    __syncthreads();
    if (threadIdx.y != 0) return;
    for (unsigned y = 1; y < blockDim.y; ++y)
      state = F::merge(state, shared[y * blockDim.x + threadIdx.x]);
  }
  if (is_inside) give_result<F>(fold, result, state);
}

// Merges the states that several blocks left for every result; one warp for each.
template <class F>
__global__ void __launch_bounds__(256)
    fold_states(const __grid_constant__ FoldArguments fold, const typename F::State* states,
                int64_t slices) {
  const int64_t result = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  typename F::State state = F::identity();
  if (result < fold.kept.count) {
    for (int64_t i = threadIdx.x; i < slices; i += 32)
      state = F::merge(state, states[i * fold.kept.count + result]);
  }
  state = merge_warp<F>(state);
  if (result < fold.kept.count && threadIdx.x == 0) give_result<F>(fold, result, state);
}

template <class F>
bool launch_dense_rows(const FoldPlan& plan, dim3 blocks, dim3 threads) {
  using C = typename F::Value;
  const FoldArguments& fold = plan.arguments;
  const auto launch = [&]<class T>() {
    fold_dense_rows<F, T><<<blocks, threads, 0, plan.stream>>>(fold);
    return true;
  };
  switch (fold.operand.element) {
    case Element::Float32:
      if constexpr (kIsSame<C, float>) return launch.template operator()<float>();
      break;
    case Element::Float16:
      if constexpr (kIsSame<C, float>) return launch.template operator()<HalfBits>();
      break;
    case Element::BFloat16:
      if constexpr (kIsSame<C, float>) return launch.template operator()<BFloatBits>();
      break;
    case Element::Float64:
      if constexpr (kIsSame<C, double>) return launch.template operator()<double>();
      break;
    case Element::Int64:
      if constexpr (kIsSame<C, int64_t>) return launch.template operator()<int64_t>();
      break;
    case Element::Bool:
      if constexpr (kIsSame<C, bool>) return launch.template operator()<uint8_t>();
      break;
    default:
      break;
  }
  return false;
}

// Queues one planned reduction; the caller checks the launch.
template <class F>
void launch_fold(const FoldPlan& plan) {
  FoldArguments fold = plan.arguments;
  if (plan.is_columns)
    fold_columns<F><<<plan.blocks, plan.threads, 0, plan.stream>>>(fold);
  else if (!plan.is_dense || !launch_dense_rows<F>(plan, plan.blocks, plan.threads))
    fold_rows<F><<<plan.blocks, plan.threads, 0, plan.stream>>>(fold);
  if (!fold.states) return;
  const auto* states = static_cast<const typename F::State*>(fold.states);
  fold.states = nullptr;
  const auto blocks = static_cast<unsigned>((fold.kept.count + 7) / 8);
  fold_states<F><<<blocks, dim3(32, 8), 0, plan.stream>>>(fold, states, plan.blocks.y);
}

}  // namespace opwright::cuda
