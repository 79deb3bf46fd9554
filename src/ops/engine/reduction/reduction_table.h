// Folds: what every operator that makes one value of many elements says about itself.
//
// A family file (src/ops/reduction) holds one FoldTable for each operation: its kernels over dense
// elements. Everything else is the same for all of them and stands elsewhere: the dimensions
// (reduction_shape.h), the CPU's engine (cpu/fold_engine.h), the fake kernels and the choice
// between the two (reduction.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {

// What is the same for every output.
struct FoldNumbers {
  int64_t count = 0;      // elements of one output
  double correction = 0;  // of a variance
};

// Kernels of one dtype. They know a number of elements by its State, of `state_bytes` bytes that
// may be copied as such.
struct FoldKernel {
  // Gives the state of `count` dense elements, which may be none; the first has the number `first`
  // among those of its output.
  using Run = void (*)(std::byte* state, const std::byte* elements, int64_t count, int64_t first);
  // Gives `columns` (at most kFoldColumns) states, each of the elements of one column of dense
  // rows.
  using Rows = void (*)(std::byte* states, const std::byte* const* rows, int64_t num_rows,
                        int64_t columns, int64_t first);
  // into[i] = into[i] with from[i], whose elements come after.
  using Merge = void (*)(std::byte* into, const std::byte* from, int64_t count);
  // The results of `count` states; `indices` is null unless the fold gives them.
  using Finish = void (*)(std::byte* results, int64_t* indices, const std::byte* states,
                          int64_t count, const FoldNumbers& numbers);

  std::array<Run, 3> run{};  // by level of the machine
  std::array<Rows, 3> rows{};
  Merge merge = nullptr;
  Finish finish = nullptr;
  int64_t state_bytes = 0;
  DType result{};
};

inline constexpr int64_t kFoldColumns = 256;
inline constexpr int64_t kMostStateBytes = 32;

// By the dtype that is computed in, as kernel_index has it.
using FoldTable = std::array<FoldKernel, kNumKernelDTypes>;

}  // namespace opwright
