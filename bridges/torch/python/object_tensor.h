// Tensors over Python objects of torch: for rules, and for kernels whose calls go through Python.
//
// A plain tensor exposes its memory. One that is fake, on meta, or wrapped by a transform has none;
// its symbolic sizes are torch's SymInts. Everything is read lazily.
#pragma once

#include <Python.h>

#include "bridges/torch/python/reference.h"
#include "opwright/c_api.h"

namespace opwright::torch_bridge {

// A View on the caller's stack over a borrowed object, or, promoted, a counted tensor that owns a
// reference.
struct ObjectTensor : OpwTensor {
  PyObject* object;
  int64_t* numbers;   // sizes, then strides, if the memory is not exposed; or null
  OpwSymWord* words;  // sizes, strides, offset: owned words, read lazily; or null
};

// Makes `view` a view of `object`, a tensor of torch. end_view frees what was read since.
void begin_view(ObjectTensor& view, PyObject* object) noexcept;
void end_view(ObjectTensor& view) noexcept;

// Fills a View of a plain tensor immediately. False if `refresh` has to read it.
[[nodiscard]] bool read_memory(ObjectTensor& view);

// Marks it to be read again before its next use: torch wrote the tensor.
void forget_readings(OpwTensor* tensor) noexcept;

// A counted tensor; one count for the caller.
[[nodiscard]] OpwTensor* own_object(Reference object);

[[nodiscard]] bool is_object_tensor(const OpwTensor* tensor) noexcept;
// The object of a tensor of either table; a new reference. TypeError for any other.
[[nodiscard]] PyObject* object_of_tensor(const OpwTensor* tensor);

// Whether the object is a torch.Tensor, of any subclass.
[[nodiscard]] bool is_tensor(PyObject* object);

}  // namespace opwright::torch_bridge
