// Indices outside of their dimension, which kernels find and the host tells later.
#pragma once

#include <cstdint>

namespace opwright::cuda {

// In pinned memory that kernels write to; the host reads it after it waited for the device.
struct IndexFault {
  int32_t is_set;
  int64_t value;
  int64_t size;
};

// Of the device, made at the first call.
IndexFault* index_fault(int32_t device);

#ifdef __CUDACC__
// The first fault is kept; of several at once any.
__device__ __forceinline__ void report_index(IndexFault* fault, int64_t value, int64_t size) {
  if (*static_cast<volatile int32_t*>(&fault->is_set)) return;
  fault->value = value;
  fault->size = size;
  __threadfence_system();
  *static_cast<volatile int32_t*>(&fault->is_set) = 1;
}
#endif

}  // namespace opwright::cuda
