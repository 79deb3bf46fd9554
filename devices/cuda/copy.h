// Copies dense bytes between a device and the CPU, on one device and between two.
#pragma once

#include <cstddef>

#include "opwright/c_api.h"

namespace opwright::cuda {

// The function of the table. A copy from pinned memory does not wait; the memory must keep its
// values until the stream has reached the copy.
int copy_cuda(const OpwHost* host, void* to, OpwDevice to_device, const void* from,
              OpwDevice from_device, size_t bytes, OpwStream* stream);

}  // namespace opwright::cuda
