// Index tensors of x[...]: which Python objects are index tensors, and the list for aten::index.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <Python.h>

#include "opwright/device.h"
#include "opwright/tensor.h"

namespace opwright::python {

// A tensor with dimensions or of bool, a NumPy array, or a sequence other than text.
bool is_index_tensor(PyObject* object);

// The object as index tensor: ints as int64, truth values as a mask. IndexError for anything else.
// A tensor keeps its device, anything else is moved to `device`.
Tensor read_index_tensor(PyObject* object, Device device);

// The number of dimensions that it indexes: those of a mask, otherwise one.
int64_t count_index_dims(const Tensor& index);

// Index tensors with the dimensions of the indexed tensor that they apply to.
class IndexTensorList {
 public:
  void add(int64_t dim, Tensor index);
  [[nodiscard]] bool is_empty() const { return entries_.empty(); }
  // One for each dimension from the first on, as aten::index expects them.
  [[nodiscard]] std::vector<std::optional<Tensor>> as_argument() const;
  // The number of dimensions of the indexed part of a tensor with `ndim` dimensions.
  [[nodiscard]] int64_t count_result_dims(int64_t ndim) const;

 private:
  struct Entry {
    int64_t dim;
    Tensor index;
  };
  std::vector<Entry> entries_;  // by dimension
};

}  // namespace opwright::python
