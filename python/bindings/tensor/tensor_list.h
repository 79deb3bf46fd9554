// Lists of tensors in and out of Python.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "opwright/tensor.h"

namespace opwright::python {

// TypeError, "cond: the operands must be tensors, got float", for anything else in the sequence.
[[nodiscard]] std::vector<Tensor> tensors_of(nanobind::handle sequence, const std::string& what);
[[nodiscard]] nanobind::list to_list(std::span<const Tensor> tensors);

}  // namespace opwright::python
