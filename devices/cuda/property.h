// What can be asked about a device.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opwright::cuda {

// The function of the table: name, total_memory, free_memory, capability, multiprocessors,
// driver_version, runtime_version, matmul (by which library products are computed) and problem (why
// there is no device; also asked where there is none).
size_t property_cuda(int32_t index, const char* key, char* buffer, size_t capacity);

}  // namespace opwright::cuda
