// Out-of-range indices, which kernels detect and the host reports later.
#pragma once

#include <cstdint>

namespace opwright::cuda {

// In pinned memory that kernels write; the host reads it after waiting for the device.
struct IndexFault {
  int32_t is_set;
  int64_t value;
  int64_t size;
};

// The device's record, created on first use.
IndexFault* index_fault(int32_t device);

#ifdef __CUDACC__
// Keeps the first fault; of several at once, any.
__device__ __forceinline__ void report_index(IndexFault* fault, int64_t value, int64_t size) {
  if (*static_cast<volatile int32_t*>(&fault->is_set)) return;
  fault->value = value;
  fault->size = size;
  __threadfence_system();
  *static_cast<volatile int32_t*>(&fault->is_set) = 1;
}
#endif

}  // namespace opwright::cuda
