// Memory that is used on other streams than the one that it was allocated on.
#pragma once

#include "opwright/c_api.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// The tensor's memory is used on `stream` of its device: when its last tensor goes, what is
// allocated in its place waits for the work that the stream was given until then. The stream must
// live as long. Nothing happens on devices without streams. Any thread.
OPWRIGHT_EXPORT void record_stream(const Tensor& tensor, OpwStream* stream);

}  // namespace opwright
