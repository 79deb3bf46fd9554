#include "bindings/tensor/index_tensor.h"

#include <algorithm>
#include <utility>

#include "bindings/object/numpy_objects.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/tensor/creation.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/index/index_mask.h"

namespace opwright::python {
namespace {

bool marks_elements(const Tensor& index) {
  return index.dtype() == DType::Bool || index.dtype() == DType::UInt8;
}

}  // namespace
bool is_index_tensor(PyObject* object) {
  return is_tensor(object) || is_numpy_array(object) ||
         (PySequence_Check(object) && !PyUnicode_Check(object) && !PyBytes_Check(object));
}

Tensor read_index_tensor(PyObject* object, Device device) {
  if (is_tensor(object)) return handle_of(object);
  Tensor index = tensor_of_data(object, {}, "index");
  if (index.dtype() == DType::Bool) return index.to(device, DType::Bool);
  const bool is_empty_list = !is_numpy_array(object) && index.numel() == 0;
  OPWRIGHT_CHECK_INDEX(is_empty_list || is_integral(index.dtype()),
                       "an index tensor must hold ints or truth values, got ", index);
  return index.to(device, DType::Int64);
}

int64_t count_index_dims(const Tensor& index) { return marks_elements(index) ? index.dim() : 1; }

void IndexTensorList::add(int64_t dim, Tensor index) {
  entries_.push_back({dim, std::move(index)});
}

std::vector<std::optional<Tensor>> IndexTensorList::as_argument() const {
  std::vector<std::optional<Tensor>> indices;
  for (const Entry& entry : entries_) {
    indices.resize(static_cast<size_t>(entry.dim));
    // A mask is one entry for several dimensions, so only the last one can stay a mask.
    if (&entry == &entries_.back() || !marks_elements(entry.index)) {
      indices.emplace_back(entry.index);
      continue;
    }
    warn_of_byte_mask(entry.index);
    const Tensor found = nonzero(entry.index);
    for (int64_t i = 0; i < entry.index.dim(); ++i) indices.emplace_back(select(found, 1, i));
  }
  return indices;
}

int64_t IndexTensorList::count_result_dims(int64_t ndim) const {
  int64_t broadcast = 0;
  for (const Entry& entry : entries_) {
    ndim -= count_index_dims(entry.index);
    broadcast = std::max(broadcast, marks_elements(entry.index) ? 1 : entry.index.dim());
  }
  return ndim + broadcast;
}

}  // namespace opwright::python
