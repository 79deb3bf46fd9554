// Memory of other Python objects as tensors, without a copy: buffers, NumPy arrays, DLPack.
//
// The tensor keeps the object alive; its last handle may be dropped on any thread, without the GIL.
#pragma once

#include <cstdint>
#include <optional>

#include <Python.h>

#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright::python {

// The format character of PEP 3118, or null for a dtype without one.
const char* buffer_format(DType dtype) noexcept;

// A tensor over an object with the buffer protocol, including NumPy arrays; read-only memory gives
// a read-only tensor. TypeError for elements without a dtype here; ValueError for a foreign byte
// order or unaligned elements.
Tensor tensor_over_buffer(PyObject* object, const char* who);

// A 1-D tensor over the bytes of a contiguous buffer from `offset` on; count -1 means all
// elements. ValueError.
Tensor tensor_over_bytes(PyObject* buffer, DType dtype, int64_t count, int64_t offset,
                         const char* who);

// A tensor over the memory of an object with __dlpack__, or of a capsule, which is then consumed.
Tensor tensor_over_dlpack(PyObject* object);

// Uses the first of the ways above that the object offers, or its __array__; empty if none.
std::optional<Tensor> tensor_over_object(PyObject* object, const char* who);

}  // namespace opwright::python
