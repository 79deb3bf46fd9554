// Kernels of a loop from the functor of its formula.
//
// A functor has of_numbers<T>(x, y, z, a, b, c), of_bools(...), kNumOperands and the supported
// types (kTakesFloats, kTakesInts, kTakesBools).
#pragma once

#include <cuda_runtime.h>

#include "devices/cuda/kernels/formula_functions.h"
#include "devices/cuda/kernels/formula_table.h"
#include "devices/cuda/kernels/kernel_handle.h"
#include "devices/cuda/kernels/loop_arguments.h"
#include "devices/cuda/kernels/vector_loop.h"

namespace opwright::cuda {

template <class F, class C>
__device__ __forceinline__ auto apply_formula(const C* operands, const C* numbers) {
  if constexpr (kIsSame<C, bool>)
    return F::of_bools(operands[0], operands[1], operands[2], numbers[0], numbers[1], numbers[2]);
  else
    return F::template of_numbers<C>(operands[0], operands[1], operands[2], numbers[0], numbers[1],
                                     numbers[2]);
}

inline constexpr int kLoopThreads = 256;

struct LoopPlaces {
  int64_t operands[3];
  int64_t result;
};

template <class F>
__device__ __forceinline__ LoopPlaces find_places(const LoopArguments& loop, uint32_t i) {
  LoopPlaces places{};
  loop.space.split(i, [&](int d, int64_t coordinate) {
    places.result += coordinate * loop.result_strides[d];
#pragma unroll
    for (int n = 0; n < F::kNumOperands; ++n)
      places.operands[n] += coordinate * loop.operands[n].strides[d];
  });
  return places;
}

// Any strides and dtypes: offsets by division, conversions by uniform branches.
template <class F, class C>
__global__ void __launch_bounds__(kLoopThreads)
    strided_loop(const __grid_constant__ LoopArguments loop) {
  const uint32_t i = blockIdx.x * kLoopThreads + threadIdx.x;
  if (i >= loop.space.count) return;
  const C numbers[3] = {loop.numbers[0].get<C>(), loop.numbers[1].get<C>(),
                        loop.numbers[2].get<C>()};
  const LoopPlaces places = find_places<F>(loop, i);
  C values[3] = {C{}, C{}, C{}};
#pragma unroll
  for (int n = 0; n < F::kNumOperands; ++n)
    values[n] = loop.operands[n].load<C>(places.operands[n]);
  store_as(loop.result, loop.result_element, places.result, apply_formula<F, C>(values, numbers));
}

// The same by runs of the innermost dimension, along which the result is contiguous.
template <class F, class C>
__global__ void __launch_bounds__(kLoopThreads)
    run_loop(const __grid_constant__ LoopArguments loop) {
  using Result =
      decltype(apply_formula<F, C>(static_cast<const C*>(nullptr), static_cast<const C*>(nullptr)));
  const uint32_t i = blockIdx.x * kLoopThreads + threadIdx.x;
  if (i >= loop.space.count) return;
  const C numbers[3] = {loop.numbers[0].get<C>(), loop.numbers[1].get<C>(),
                        loop.numbers[2].get<C>()};
  const LoopPlaces places = find_places<F>(loop, i);
  C runs[3][kRunLength];
#pragma unroll
  for (int n = 0; n < F::kNumOperands; ++n)
    loop.operands[n].load_run<C>(places.operands[n], runs[n]);
  Result results[kRunLength];
#pragma unroll
  for (int e = 0; e < kRunLength; ++e) {
    C values[3] = {C{}, C{}, C{}};
#pragma unroll
    for (int n = 0; n < F::kNumOperands; ++n) values[n] = runs[n][e];
    results[e] = apply_formula<F, C>(values, numbers);
  }
  store_run_as(loop.result, loop.result_element, places.result, results);
}

// T in memory, C for computing; a thread processes kPacks times 16 bytes of every operand.
template <class F, class T, class C>
__global__ void __launch_bounds__(kLoopThreads) dense_loop(const __grid_constant__ DenseLoop loop) {
  using Result =
      decltype(apply_formula<F, C>(static_cast<const C*>(nullptr), static_cast<const C*>(nullptr)));
  constexpr bool kGivesTruth = kIsSame<Result, bool>;
  constexpr int kWidth = 16 / sizeof(T);
  constexpr int kPacks = 2;
  const C numbers[3] = {loop.numbers[0].get<C>(), loop.numbers[1].get<C>(),
                        loop.numbers[2].get<C>()};
  C repeated[3] = {C{}, C{}, C{}};
#pragma unroll
  for (int n = 0; n < F::kNumOperands; ++n) {
    const DenseOperand& operand = loop.operands[n];
    if (!operand.data) repeated[n] = operand.number.get<C>();
    if (operand.data && operand.is_repeated)
      repeated[n] = convert<C>(*static_cast<const T*>(operand.data));
  }
  const int64_t first = int64_t{blockIdx.x} * (kLoopThreads * kPacks) + threadIdx.x;
  Pack<T, kWidth> packs[kPacks][3];
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int64_t pack = first + k * kLoopThreads;
#pragma unroll
    for (int n = 0; n < F::kNumOperands; ++n) {
      const DenseOperand& operand = loop.operands[n];
      if (operand.data && !operand.is_repeated && (pack + 1) * kWidth <= loop.count)
        packs[k][n] = static_cast<const Pack<T, kWidth>*>(operand.data)[pack];
    }
  }
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int64_t pack = first + k * kLoopThreads;
    const int64_t begin = pack * kWidth;
    if (begin >= loop.count) break;
    const bool is_whole = begin + kWidth <= loop.count;
    using Stored = Pack<T, kWidth>;
    using StoredTruth = Pack<uint8_t, kWidth>;
    Stored stored;
    StoredTruth truths;
    const int width = is_whole ? kWidth : static_cast<int>(loop.count - begin);
#pragma unroll
    for (int e = 0; e < kWidth; ++e) {
      if (e >= width) break;
      C values[3] = {C{}, C{}, C{}};
#pragma unroll
      for (int n = 0; n < F::kNumOperands; ++n) {
        const DenseOperand& operand = loop.operands[n];
        if (!operand.data || operand.is_repeated)
          values[n] = repeated[n];
        else if (is_whole)
          values[n] = convert<C>(packs[k][n].elements[e]);
        else
          values[n] = convert<C>(static_cast<const T*>(operand.data)[begin + e]);
      }
      const Result result = apply_formula<F, C>(values, numbers);
      if constexpr (kGivesTruth)
        truths.elements[e] = result ? 1 : 0;
      else
        stored.elements[e] = convert<T>(result);
      if (!is_whole) {
        if constexpr (kGivesTruth)
          static_cast<uint8_t*>(loop.result)[begin + e] = truths.elements[e];
        else
          static_cast<T*>(loop.result)[begin + e] = stored.elements[e];
      }
    }
    if (!is_whole) break;
    if constexpr (kGivesTruth)
      static_cast<StoredTruth*>(loop.result)[pack] = truths;
    else
      static_cast<Stored*>(loop.result)[pack] = stored;
  }
}

inline int queue_loop(const KernelHandle& kernel, const LoopArguments& loop, CUstream_st* stream) {
  const auto blocks = static_cast<unsigned>((loop.space.count + kLoopThreads - 1) / kLoopThreads);
  return kernel.launch(blocks, kLoopThreads, loop, stream);
}

template <class F, class C>
int launch_strided(const LoopArguments& loop, CUstream_st* stream) {
  static const KernelHandle kernel(reinterpret_cast<const void*>(&strided_loop<F, C>));
  return queue_loop(kernel, loop, stream);
}

template <class F, class C>
int launch_runs(const LoopArguments& loop, CUstream_st* stream) {
  static const KernelHandle kernel(reinterpret_cast<const void*>(&run_loop<F, C>));
  return queue_loop(kernel, loop, stream);
}

template <class F, class T, class C>
int launch_dense(const DenseLoop& loop, CUstream_st* stream) {
  constexpr int64_t kOfBlock = int64_t{kLoopThreads} * 2 * (16 / sizeof(T));
  const auto blocks = static_cast<unsigned>((loop.count + kOfBlock - 1) / kOfBlock);
  static const KernelHandle kernel(reinterpret_cast<const void*>(&dense_loop<F, T, C>));
  return kernel.launch(blocks, kLoopThreads, loop, stream);
}

// The result type of apply_formula.
template <class F, class C>
constexpr bool gives_truth() {
  if constexpr (kIsSame<C, bool>)
    return true;
  else
    return kIsSame<decltype(F::template of_numbers<C>(C{}, C{}, C{}, C{}, C{}, C{})), bool>;
}

template <class F>
FormulaKernels make_formula_kernels() {
  FormulaKernels kernels{};
  const auto add_strided = [&]<class C>(Compute compute) {
    kernels.strided[static_cast<size_t>(compute)] = &launch_strided<F, C>;
    kernels.by_runs[static_cast<size_t>(compute)] = &launch_runs<F, C>;
  };
  const auto dense = [&](Dense dtype) -> LaunchDense& {
    return kernels.dense[static_cast<size_t>(dtype)];
  };
  if constexpr (F::kTakesBools) {
    kernels.gives_truth = true;
    add_strided.template operator()<bool>(Compute::Bool);
    dense(Dense::Bool) = &launch_dense<F, uint8_t, bool>;
  }
  if constexpr (F::kTakesInts) {
    kernels.gives_truth = gives_truth<F, int64_t>();
    add_strided.template operator()<int32_t>(Compute::Int32);
    add_strided.template operator()<int64_t>(Compute::Int64);
    dense(Dense::Int32) = &launch_dense<F, int32_t, int32_t>;
    dense(Dense::Int64) = &launch_dense<F, int64_t, int64_t>;
  }
  if constexpr (F::kTakesFloats) {
    kernels.gives_truth = gives_truth<F, float>();
    add_strided.template operator()<float>(Compute::Float);
    add_strided.template operator()<double>(Compute::Double);
    dense(Dense::Float32) = &launch_dense<F, float, float>;
    dense(Dense::Float16) = &launch_dense<F, HalfBits, float>;
    dense(Dense::BFloat16) = &launch_dense<F, BFloatBits, float>;
    dense(Dense::Float64) = &launch_dense<F, double, double>;
  }
  return kernels;
}

}  // namespace opwright::cuda
