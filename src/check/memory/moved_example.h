// Moves examples and outcomes to other devices.
#pragma once

#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/device.h"
#include "opwright/tensor.h"

namespace opwright {

// Like Example::copy, but on `device`: CPU tensors have the same bytes in storages of the same
// length there, devices among the arguments become `device`, generators become its own in the same
// state. Errors of the device are passed on.
[[nodiscard]] Example move_example(const Example& example, Device device);

// The outcome with its tensors copied to the CPU.
[[nodiscard]] Outcome bring_to_cpu(const Outcome& outcome);
[[nodiscard]] Tensor bring_to_cpu(const Tensor& tensor);

}  // namespace opwright
