// The type slots of opwright.Tensor except its lifetime: what each file of the type contributes.
#pragma once

#include <vector>

#include <Python.h>

namespace opwright::python {

// All of them, without the end mark; methods and properties of all files are joined. They live as
// long as the process.
std::vector<PyType_Slot> tensor_slots();

// Each file of the type appends its own, without the end marks.
struct TensorSlots {
  std::vector<PyType_Slot> slots;
  std::vector<PyMethodDef> methods;
  std::vector<PyGetSetDef> properties;
};
// tensor_attributes.cpp: shape, dtype, device, ...
void add_attribute_slots(TensorSlots& out);
// tensor_autograd.cpp: grad, requires_grad, backward, hooks, ...
void add_autograd_slots(TensorSlots& out);
// tensor_numbers.cpp: arithmetic and comparison
void add_number_slots(TensorSlots& out);
// tensor_index.cpp: x[i], len, iteration
void add_index_slots(TensorSlots& out);
// tensor_exchange.cpp: NumPy, DLPack, buffer
void add_exchange_slots(TensorSlots& out);
// storage_object.cpp: untyped_storage, set_
void add_storage_slots(TensorSlots& out);
// tensor_kind.cpp: is_set_to, is_conj, H, ...
void add_kind_slots(TensorSlots& out);
// tensor_forms.cpp: nonzero, norm, unsqueeze_, ...
void add_form_slots(TensorSlots& out);
// method_forms.cpp: where, polygamma, lu, ...
void add_method_form_slots(TensorSlots& out);
// tensor_elements.cpp: apply_, map_, map2_
void add_element_slots(TensorSlots& out);

}  // namespace opwright::python
