// Describes reductions: what each operator that reduces many elements to one value must define.
//
// A family file (src/ops/reduction) holds one FoldTable per operation: its kernels over dense
// elements. Everything else is shared: the dimensions (reduction_shape.h), the CPU engine
// (reduction_engine.h), the fake kernels and the choice between the two (reduction.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {

// What is the same for every output.
struct FoldNumbers {
  int64_t count = 0;      // elements per output
  double correction = 0;  // for a variance
};

// The kernels of one dtype. They represent reduced elements by a State of `state_bytes` bytes,
// which may be copied bytewise.
struct FoldKernel {
  // Computes the state of each of `num_runs` runs of `count` dense elements, possibly 0, which
  // begin `stride` elements apart; `first` is the index of a run's first element among those of its
  // output.
  using Run = void (*)(std::byte* states, const std::byte* elements, int64_t count, int64_t first,
                       int64_t num_runs, int64_t stride);
  // Computes `columns` (at most kFoldColumns) states, one per column of dense rows.
  using Rows = void (*)(std::byte* states, const std::byte* const* rows, int64_t num_rows,
                        int64_t columns, int64_t first);
  // Merges from[i], whose elements come later, into into[i].
  using Merge = void (*)(std::byte* into, const std::byte* from, int64_t count);
  // Computes the results of `count` states; `indices` is null unless the reduction returns them.
  using Finish = void (*)(std::byte* results, int64_t* indices, const std::byte* states,
                          int64_t count, const FoldNumbers& numbers);

  std::array<Run, 3> run{};  // by CPU level
  std::array<Rows, 3> rows{};
  Merge merge = nullptr;
  Finish finish = nullptr;
  int64_t state_bytes = 0;
  DType result{};
};

inline constexpr int64_t kFoldColumns = 256;
inline constexpr int64_t kMostStateBytes = 32;

// Indexed by kernel_index of the compute dtype.
using FoldTable = std::array<FoldKernel, kNumKernelDTypes>;

}  // namespace opwright
