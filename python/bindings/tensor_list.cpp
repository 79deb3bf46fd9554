#include "bindings/tensor_list.h"

#include "bindings/error.h"
#include "bindings/method.h"
#include "bindings/tensor_object.h"
#include "bindings/value.h"

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
