// Conversion of tensors to another dtype or device, or without their graph: x.to() and similar.
#pragma once

#include <optional>

#include <Python.h>

#include "bindings/object/tensor_slots.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/memory_format.h"
#include "opwright/tensor.h"

namespace opwright::python {

struct Conversion {
  std::optional<DType> dtype = std::nullopt;
  std::optional<Device> device = std::nullopt;
  bool non_blocking = false;
  bool copy = false;  // even if nothing changes
  std::optional<MemoryFormat> memory_format = std::nullopt;
};

// Whether `tensor` already has the dtype and device of the conversion.
bool is_converted(const Tensor& tensor, const Conversion& conversion);
// The same handle if nothing changes and no copy is requested.
Tensor convert(const Tensor& tensor, const Conversion& conversion);

// The arguments `dtype` and `device` of a function; None and null mean not given.
Conversion read_conversion(PyObject* dtype, PyObject* device);

// A tensor over the same memory, without its gradient.
Tensor detached(const Tensor& tensor);
// A copy with its own memory, without its gradient.
Tensor detached_copy(const Tensor& tensor, const Conversion& conversion = {});

// to, cpu, cuda, type, float, int, ...
void add_conversion_slots(TensorSlots& out);

}  // namespace opwright::python
