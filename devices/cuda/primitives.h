// The computations of the CUDA device for the host: the functions of its table that launch our own
// kernels, defined in devices/cuda/kernels.
#pragma once

#include <cstdint>

#include "opwright/c_api.h"

namespace opwright::cuda {

// As described at OpwDeviceTable. `index` is the device of the memory, `stream` a cudaStream_t.
// They return 0, or 1 with the error set in `host`.
int compute_loop_cuda(const OpwHost* host, int32_t index, const OpwLoop* loop, OpwStream* stream);
int compute_fold_cuda(const OpwHost* host, int32_t index, const OpwFold* fold, OpwStream* stream);
int move_elements_cuda(const OpwHost* host, int32_t index, const OpwMove* move, OpwStream* stream);
int draw_random_cuda(const OpwHost* host, int32_t index, const OpwRandom* random,
                     OpwStream* stream);

// Kernels skip out-of-range indices and record them in pinned memory. Code that has waited for the
// device (synchronize, synchronize_stream, synchronize_event, copies to and from CPU memory) calls
// this after the wait: IndexError with the index and the size if a kernel on `device` recorded one
// since the last call.
void throw_index_fault(int32_t device);

}  // namespace opwright::cuda
