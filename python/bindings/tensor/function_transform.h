// The levels of opwright.func's transforms, and how their values are shown.
#pragma once

#include <optional>
#include <string>

#include "opwright/dispatch/interpreter.h"
#include "opwright/tensor.h"

namespace opwright::python {

// Whether the level belongs to a transformed function: grad, jvp, vmap or functionalize. Captures
// and forward_ad.dual_level do not.
[[nodiscard]] bool is_function_transform(const Interpreter& level);

// A value of such a level, with its depth among them and the tensor inside, in PyTorch's form:
// "GradTrackingTensor(lvl=1, value=\n    tensor(2.)\n)". None for other tensors.
[[nodiscard]] std::optional<std::string> transform_text(const Tensor& tensor);

}  // namespace opwright::python
