// Numbers and nested sequences of numbers as a tensor.
#pragma once

#include <optional>

#include <Python.h>

#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright::python {

// On the CPU, contiguous. Without a dtype, uses the smallest that holds all elements, like PyTorch:
// int64 for ints, float32 for floats and for no elements at all. ValueError for sequences of
// different lengths: "tensor: expected a sequence of length 3 at dimension 1, got 2"; TypeError for
// elements that are not numbers.
Tensor tensor_of_nested(PyObject* data, std::optional<DType> dtype, const char* who);

}  // namespace opwright::python
