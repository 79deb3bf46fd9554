#include "bindings/tensor/tensor_list.h"

#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"

namespace nb = nanobind;

namespace opwright::python {

std::vector<Tensor> tensors_of(nb::handle sequence, const std::string& what) {
  const nb::object items =
      own(PySequence_Fast(sequence.ptr(), "a sequence of tensors was expected"));
  std::vector<Tensor> tensors;
  for (const nb::handle item : items) {
    OPWRIGHT_CHECK_TYPE(is_tensor(item.ptr()), what, " must be tensors, got ",
                        class_name(item.ptr()));
    tensors.push_back(handle_of(item.ptr()));
  }
  return tensors;
}

nb::list to_list(std::span<const Tensor> tensors) {
  nb::list list;
  for (const Tensor& tensor : tensors) list.append(own(wrap(tensor)));
  return list;
}

}  // namespace opwright::python
