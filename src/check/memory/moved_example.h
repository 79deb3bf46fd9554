// Examples and outcomes on other devices.
#pragma once

#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/device.h"
#include "opwright/tensor.h"

namespace opwright {

// As Example::copy, but on `device`: tensors of the cpu have the same bytes in storages of the same
// length there, devices among the arguments are that one, generators are its own in the same state.
// Throws what the device throws.
[[nodiscard]] Example move_example(const Example& example, Device device);

// The outcome with copies of its tensors on the cpu.
[[nodiscard]] Outcome bring_to_cpu(const Outcome& outcome);
[[nodiscard]] Tensor bring_to_cpu(const Tensor& tensor);

}  // namespace opwright
