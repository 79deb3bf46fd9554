// Index tensors of x[...]: which Python objects are, and the list that aten::index takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <Python.h>

#include "opwright/device.h"
#include "opwright/tensor.h"

namespace opwright::python {

// A tensor with dimensions or of bool, a NumPy array, or a sequence that is no text.
bool is_index_tensor(PyObject* object);

// The object as index tensor: ints as int64, truth values as a mask. IndexError for what is
// neither.
// A tensor stays where it is, anything else comes to `device`.
Tensor read_index_tensor(PyObject* object, Device device);

// How many dimensions it takes: those of a mask, else one.
int64_t count_index_dims(const Tensor& index);

// Index tensors with the dimensions of the indexed tensor where they stand.
class IndexTensorList {
 public:
  void add(int64_t dim, Tensor index);
  [[nodiscard]] bool is_empty() const { return entries_.empty(); }
  // One for each dimension from the first on, as aten::index has them.
  [[nodiscard]] std::vector<std::optional<Tensor>> as_argument() const;
  // How many dimensions the indexed part of a tensor of `ndim` dimensions has.
  [[nodiscard]] int64_t count_result_dims(int64_t ndim) const;

 private:
  struct Entry {
    int64_t dim;
    Tensor index;
  };
  std::vector<Entry> entries_;  // by dimension
};

}  // namespace opwright::python
