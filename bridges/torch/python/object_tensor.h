// Tensors over Python objects of torch: rules see them, and kernels whose calls go through Python.
//
// A plain tensor shows its memory. One that is fake, on meta, or wrapped by a transform has none;
// its sizes are torch's SymInts where those are symbols. Nothing is read before it is asked for.
#pragma once

#include <Python.h>

#include "bridges/torch/python/reference.h"
#include "opwright/c_api.h"

namespace opwright::torch_bridge {

// A View on the caller's stack over a borrowed object, or, promoted, a counted tensor that owns a
// reference.
struct ObjectTensor : OpwTensor {
  PyObject* object;
  int64_t* numbers;   // sizes, then strides, of a tensor whose memory is not shown; or null
  OpwSymWord* words;  // sizes, strides, offset: owned words, once asked for; or null
};

// Makes `view` show `object`, which is a tensor of torch. end_view frees what was read since.
void begin_view(ObjectTensor& view, PyObject* object) noexcept;
void end_view(ObjectTensor& view) noexcept;

// Fills a View of a plain tensor at once. False where it has to be read by `refresh`.
[[nodiscard]] bool read_memory(ObjectTensor& view);

// To be read again before its next use: torch wrote the tensor.
void forget_readings(OpwTensor* tensor) noexcept;

// A counted tensor; one count for the caller.
[[nodiscard]] OpwTensor* own_object(Reference object);

[[nodiscard]] bool is_object_tensor(const OpwTensor* tensor) noexcept;
// Of a tensor of either of the bridge's tables; a new reference. TypeError for any other.
[[nodiscard]] PyObject* object_of_tensor(const OpwTensor* tensor);

// Whether the object is a torch.Tensor, of any subclass.
[[nodiscard]] bool is_tensor(PyObject* object);

}  // namespace opwright::torch_bridge
