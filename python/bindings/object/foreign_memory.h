// Memory of other Python objects as tensors, without a copy: buffers, NumPy arrays, DLPack.
//
// The tensor keeps the object; its last handle may go on any thread, without Python's lock.
#pragma once

#include <cstdint>
#include <optional>

#include <Python.h>

#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright::python {

// The format character of PEP 3118, or null for a dtype that has none.
const char* buffer_format(DType dtype) noexcept;

// A tensor over an object with the buffer protocol, NumPy arrays among them; read-only memory gives
// a read-only tensor. TypeError for elements without a dtype here; ValueError for a foreign byte
// order or elements that are not aligned.
Tensor tensor_over_buffer(PyObject* object, const char* who);

// A tensor of one dimension over the bytes of a contiguous buffer from `offset` on; -1 takes as
// many elements as there are. ValueError.
Tensor tensor_over_bytes(PyObject* buffer, DType dtype, int64_t count, int64_t offset,
                         const char* who);

// A tensor over what an object with __dlpack__, or a capsule, which is then used up, shows.
Tensor tensor_over_dlpack(PyObject* object);

// The first of the ways above that the object offers, or its __array__; none: it offers none.
std::optional<Tensor> tensor_over_object(PyObject* object, const char* who);

}  // namespace opwright::python
