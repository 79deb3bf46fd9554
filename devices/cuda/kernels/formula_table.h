// The kernels of a formula's text; list_formulas generates the table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cuda/kernels/loop_arguments.h"
#include "devices/cuda/kernels/vector_loop.h"

struct CUstream_st;

namespace opwright::cuda {

// Queues one loop over a small space; returns the driver's status, which the caller checks.
using LaunchStrided = int (*)(const LoopArguments& arguments, CUstream_st* stream);
using LaunchDense = int (*)(const DenseLoop& loop, CUstream_st* stream);

// The types in which formulas are computed.
enum class Compute : uint8_t { Float, Double, Int32, Int64, Bool };
inline constexpr size_t kNumComputes = 5;
// The dtypes in memory with kernels for dense elements of one dtype.
enum class Dense : uint8_t { Float32, Float16, BFloat16, Float64, Int32, Int64, Bool };
inline constexpr size_t kNumDenses = 7;

struct FormulaKernels {
  bool gives_truth;  // whether a dense result is bool
  LaunchStrided strided[kNumComputes];
  LaunchStrided by_runs[kNumComputes];
  LaunchDense dense[kNumDenses];
};

struct FormulaEntry {
  const char* text;
  const FormulaKernels* kernels;
};
extern const FormulaEntry kFormulaTable[];  // sorted by text
extern const size_t kNumFormulas;

}  // namespace opwright::cuda
