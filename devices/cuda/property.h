// The properties of a device.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opwright::cuda {

// The function of the table: name, total_memory, free_memory, capability, multiprocessors,
// driver_version, runtime_version, matmul (the library that computes products) and problem (why
// there is no device; also available if there is none).
size_t property_cuda(int32_t index, const char* key, char* buffer, size_t capacity);

}  // namespace opwright::cuda
