// Tensors in another dtype, on another device, without their graph: x.to() and its relatives.
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
  bool copy = false;  // also where nothing changes
  std::optional<MemoryFormat> memory_format = std::nullopt;
};

// Whether `tensor` is what the conversion asks for already.
bool is_converted(const Tensor& tensor, const Conversion& conversion);
// The same handle where nothing changes and no copy is wanted.
Tensor convert(const Tensor& tensor, const Conversion& conversion);

// The arguments `dtype` and `device` of a function; None and null: not given.
Conversion read_conversion(PyObject* dtype, PyObject* device);

// Over the same memory, without its gradient.
Tensor detached(const Tensor& tensor);
// A copy whose memory nobody else has, without its gradient.
Tensor detached_copy(const Tensor& tensor, const Conversion& conversion = {});

// to, cpu, cuda, type, float, int, ...
void add_conversion_slots(TensorSlots& out);

}  // namespace opwright::python
