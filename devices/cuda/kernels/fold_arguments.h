// The arguments of a reduction's kernels, and how they are launched.
#pragma once

#include <cuda_runtime_api.h>

#include "devices/cuda/kernels/fold_state.h"
#include "devices/cuda/kernels/index_space.h"
#include "devices/cuda/kernels/loop_arguments.h"

namespace opwright::cuda {

struct FoldArguments {
  IndexSpace kept;
  IndexSpace folded;
  LoopOperand operand;  // its strides are those of the kept dimensions
  int64_t folded_strides[kMostDimensions];
  void* result;  // null if not requested
  Element result_element;
  int64_t result_strides[kMostDimensions];
  int64_t* indices;  // null if not requested
  int64_t index_strides[kMostDimensions];
  FoldNumbers numbers;
  int64_t slice;  // reduced elements per block
  void* states;   // of every slice and result; null: a single slice writes the results
};

inline constexpr size_t kMostStateBytes = 24;

struct FoldPlan {
  FoldArguments arguments;
  bool is_columns;
  bool is_dense;  // rows of contiguous, aligned elements
  dim3 blocks;
  dim3 threads;
  cudaStream_t stream;
};

// By the compute dtype, an Element; false if there is no such reduction.
bool launch_sum(const FoldPlan& plan, Element compute);
bool launch_mean(const FoldPlan& plan, Element compute);
bool launch_product(const FoldPlan& plan, Element compute);
bool launch_extremum(const FoldPlan& plan, Element compute, bool is_largest);
bool launch_truth(const FoldPlan& plan, bool is_all);
bool launch_variance(const FoldPlan& plan, Element compute);
bool launch_norm(const FoldPlan& plan, Element compute, double order);

}  // namespace opwright::cuda
