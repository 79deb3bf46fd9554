// What the CUDA device computes for the host: the functions of its table that launch kernels of
// ours, defined in devices/cuda/kernels.
#pragma once

#include <cstdint>

#include "opwright/c_api.h"

namespace opwright::cuda {

// As OpwDeviceTable says it. `index` is the device of the memory, `stream` a cudaStream_t. They
// return 0, or 1 with the error given to `host`.
int compute_loop_cuda(const OpwHost* host, int32_t index, const OpwLoop* loop, OpwStream* stream);
int compute_fold_cuda(const OpwHost* host, int32_t index, const OpwFold* fold, OpwStream* stream);
int move_elements_cuda(const OpwHost* host, int32_t index, const OpwMove* move, OpwStream* stream);
int draw_random_cuda(const OpwHost* host, int32_t index, const OpwRandom* random,
                     OpwStream* stream);

// Kernels that meet an index outside of its dimension go on without it and tell so in pinned
// memory. Whoever has waited for the device (synchronize, synchronize_stream, synchronize_event,
// copies to and from cpu memory) calls this behind the wait: IndexError with the index and the size
// where a kernel on `device` told so since the last call.
void throw_index_fault(int32_t device);

}  // namespace opwright::cuda
