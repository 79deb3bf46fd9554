// Builds reduction kernels from functors: loops over dense elements for each dtype and CPU level.
//
// A functor is a class template F over the element type T with static functions:
//   State identity()
//   State step(State, T)         one more element; OPWRIGHT_INLINE, becomes vector code
//   State merge(State, State)    the elements of the second come after those of the first
//   R finish(State, const FoldNumbers&)
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "opwright/ops/engine/pointwise/kernel.h"
#include "opwright/ops/engine/reduction/reduction_table.h"

namespace opwright {

// The loops of a functor. A dense run is read as rows with one column per lane; the lanes' states
// are merged as a tree, so the error of a sum of n terms is that of n / lanes terms.
template <class F, class T>
struct FoldLoops {
  using State = decltype(F::identity());
  static constexpr int64_t kLanes = sizeof(State) <= 4 ? 128 : 64;

  OPWRIGHT_INLINE static void add_rows(State* states, const T* const* rows, int64_t num_rows,
                                       int64_t columns) {
    int64_t row = 0;
    for (; row + 4 <= num_rows; row += 4) {
      const T *a = rows[row], *b = rows[row + 1], *c = rows[row + 2], *d = rows[row + 3];
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < columns; ++i)
        states[i] = F::step(F::step(F::step(F::step(states[i], a[i]), b[i]), c[i]), d[i]);
    }
    for (; row < num_rows; ++row) {
      const T* a = rows[row];
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < columns; ++i) states[i] = F::step(states[i], a[i]);
    }
  }

  // Long reductions run at memory speed, so prefetch 1 KiB ahead. That may be past the last
  // element, which is harmless.
  static constexpr int64_t kAhead = 1024 / static_cast<int64_t>(sizeof(T));
  template <int64_t kBytes>
  OPWRIGHT_INLINE static void prefetch_lines(const T* from) {
    for (int64_t i = 0; i < kBytes; i += 64)
      __builtin_prefetch(reinterpret_cast<const char*>(from) + i);
  }

  // For at least kWidth elements.
  template <int64_t kWidth>
  OPWRIGHT_INLINE static State fold_in_lanes(const T* elements, int64_t count) {
    std::array<State, kWidth> lanes;
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t k = 0; k < kWidth; ++k)
      lanes[static_cast<size_t>(k)] = F::step(F::identity(), elements[k]);
    int64_t i = kWidth;
    for (; i + kWidth <= count; i += kWidth) {
      prefetch_lines<kWidth* static_cast<int64_t>(sizeof(T))>(elements + i + kAhead);
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (int64_t k = 0; k < kWidth; ++k)
        lanes[static_cast<size_t>(k)] = F::step(lanes[static_cast<size_t>(k)], elements[i + k]);
    }
    for (; i < count; i += kWidth) {
      const int64_t width = std::min(kWidth, count - i);
      for (int64_t k = 0; k < width; ++k)
        lanes[static_cast<size_t>(k)] = F::step(lanes[static_cast<size_t>(k)], elements[i + k]);
    }
    merge_lanes<kWidth / 2>(lanes.data());
    return lanes[0];
  }
  template <size_t kWidth>
  OPWRIGHT_INLINE static void merge_lanes(State* lanes) {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (size_t k = 0; k < kWidth; ++k) lanes[k] = F::merge(lanes[k], lanes[k + kWidth]);
    if constexpr (kWidth > 1) merge_lanes<kWidth / 2>(lanes);
  }
  OPWRIGHT_INLINE static State fold_few(const T* elements, int64_t count) {
    State state = F::identity();
    for (int64_t i = 0; i < count; ++i) state = F::step(state, elements[i]);
    return state;
  }

  OPWRIGHT_INLINE static void run(State& state, const T* elements, int64_t count,
                                  int64_t /*first*/) {
    if (count < 8)
      state = fold_few(elements, count);
    else if (count < 128)
      state = fold_in_lanes<8>(elements, count);
    else if (count < 4 * kLanes)
      state = fold_in_lanes<32>(elements, count);
    else
      state = fold_in_lanes<kLanes>(elements, count);
  }
  OPWRIGHT_INLINE static void rows(State* states, const T* const* rows, int64_t num_rows,
                                   int64_t columns, int64_t /*first*/) {
    for (int64_t i = 0; i < columns; ++i) states[i] = F::identity();
    add_rows(states, rows, num_rows, columns);
  }
  static void finish(std::byte* results, int64_t* /*indices*/, const State* states, int64_t count,
                     const FoldNumbers& numbers) {
    using Result = decltype(F::finish(states[0], numbers));
    auto* out = reinterpret_cast<Result*>(results);
    for (int64_t i = 0; i < count; ++i) out[i] = F::finish(states[i], numbers);
  }
  static constexpr DType kResult = dtype_of<decltype(F::finish(State{}, FoldNumbers{}))>();
};

// Wraps `Loops` as functions over bytes. It has `run`, `rows` and `finish` like FoldLoops, and
// State, kResult; F merges.
template <class F, class Loops, class T>
struct FoldFunctions {
  using State = typename Loops::State;
  static State* states_of(std::byte* bytes) { return reinterpret_cast<State*>(bytes); }
  static const State* states_of(const std::byte* bytes) {
    return reinterpret_cast<const State*>(bytes);
  }
  static const T* elements_of(const std::byte* bytes) { return reinterpret_cast<const T*>(bytes); }
  static const T* const* rows_of(const std::byte* const* rows) {
    return reinterpret_cast<const T* const*>(rows);
  }

  static void run(std::byte* states, const std::byte* elements, int64_t count, int64_t first,
                  int64_t num_runs, int64_t stride) {
    for (int64_t i = 0; i < num_runs; ++i)
      run_one(states_of(states) + i, elements_of(elements) + i * stride, count, first);
  }
  static void run_avx2(std::byte* states, const std::byte* elements, int64_t count, int64_t first,
                       int64_t num_runs, int64_t stride) {
    for (int64_t i = 0; i < num_runs; ++i)
      run_one_avx2(states_of(states) + i, elements_of(elements) + i * stride, count, first);
  }
  static void run_avx512(std::byte* states, const std::byte* elements, int64_t count, int64_t first,
                         int64_t num_runs, int64_t stride) {
    for (int64_t i = 0; i < num_runs; ++i)
      run_one_avx512(states_of(states) + i, elements_of(elements) + i * stride, count, first);
  }
  static void rows(std::byte* states, const std::byte* const* rows, int64_t num_rows,
                   int64_t columns, int64_t first) {
    Loops::rows(states_of(states), rows_of(rows), num_rows, columns, first);
  }
  OPWRIGHT_AVX2 static void rows_avx2(std::byte* states, const std::byte* const* rows,
                                      int64_t num_rows, int64_t columns, int64_t first) {
    Loops::rows(states_of(states), rows_of(rows), num_rows, columns, first);
  }
  OPWRIGHT_AVX512 static void rows_avx512(std::byte* states, const std::byte* const* rows,
                                          int64_t num_rows, int64_t columns, int64_t first) {
    Loops::rows(states_of(states), rows_of(rows), num_rows, columns, first);
  }
  static void merge(std::byte* into, const std::byte* from, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      states_of(into)[i] = F::merge(states_of(into)[i], states_of(from)[i]);
  }
  static void finish(std::byte* results, int64_t* indices, const std::byte* states, int64_t count,
                     const FoldNumbers& numbers) {
    Loops::finish(results, indices, states_of(states), count, numbers);
  }

 private:
  // Not inlined, so that the loop over runs does not make the code of a run larger.
  [[gnu::noinline]] static void run_one(State* state, const T* elements, int64_t count,
                                        int64_t first) {
    Loops::run(*state, elements, count, first);
  }
  [[gnu::noinline]] OPWRIGHT_AVX2 static void run_one_avx2(State* state, const T* elements,
                                                           int64_t count, int64_t first) {
    Loops::run(*state, elements, count, first);
  }
  [[gnu::noinline]] OPWRIGHT_AVX512 static void run_one_avx512(State* state, const T* elements,
                                                               int64_t count, int64_t first) {
    Loops::run(*state, elements, count, first);
  }
};

template <class F, class Loops, class T>
constexpr FoldKernel make_fold_kernel() {
  using Functions = FoldFunctions<F, Loops, T>;
  static_assert(sizeof(typename Loops::State) <= kMostStateBytes);
  FoldKernel kernel{};
  kernel.run = {&Functions::run, &Functions::run, &Functions::run};
  kernel.rows = {&Functions::rows, &Functions::rows, &Functions::rows};
#ifdef OPWRIGHT_HAS_CPU_LEVELS
  if constexpr (!kIsComplex<T> && !kIsRare<T>) {
    kernel.run[1] = kernel.run[2] = &Functions::run_avx2;
    kernel.rows[1] = kernel.rows[2] = &Functions::rows_avx2;
    if constexpr (std::is_floating_point_v<T>) {
      kernel.run[2] = &Functions::run_avx512;
      kernel.rows[2] = &Functions::rows_avx512;
    }
  }
#endif
  kernel.merge = &Functions::merge;
  kernel.finish = &Functions::finish;
  kernel.state_bytes = sizeof(typename Loops::State);
  kernel.result = Loops::kResult;
  return kernel;
}

template <template <class> class F, template <class, class> class Loops, class... T>
constexpr FoldTable make_fold_table(TypeList<T...>) {
  FoldTable table{};
  ((table[kernel_index(dtype_of<T>())] = make_fold_kernel<F<T>, Loops<F<T>, T>, T>()), ...);
  return table;
}

// The kernels of a functor for these element types.
template <template <class> class F, class Types, template <class, class> class Loops = FoldLoops>
inline constexpr FoldTable kFolds = make_fold_table<F, Loops>(Types{});

}  // namespace opwright
