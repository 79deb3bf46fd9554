// Methods of opwright.Tensor for its memory and devices.
#pragma once

#include "bindings/object/tensor_slots.h"

namespace opwright::python {

void add_device_slots(TensorSlots& out);

}  // namespace opwright::python
