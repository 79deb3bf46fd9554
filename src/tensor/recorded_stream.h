// Memory that is used on streams other than the one it was allocated on.
#pragma once

#include "opwright/c_api.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// Records that the tensor's memory is used on `stream` of its device: when its last tensor is
// destroyed, the next allocation of that memory waits for the work queued on the stream until then.
// The stream must live as long. Does nothing on devices without streams. Any thread.
OPWRIGHT_EXPORT void record_stream(const Tensor& tensor, OpwStream* stream);

}  // namespace opwright
