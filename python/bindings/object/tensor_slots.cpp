#include "bindings/object/tensor_slots.h"

#include "bindings/object/device_methods.h"
#include "bindings/object/element.h"
#include "bindings/object/tensor_conversion.h"
#include "bindings/object/tensor_pickle.h"

namespace opwright::python {
namespace {

constexpr const char* kTensorDoc =
    "Tensor(data)\n--\n\n"
    "A tensor: numbers of one dtype in up to 64 dimensions on one device.\n\n"
    "Another tensor as data is shared without a copy and without its gradient; anything else is\n"
    "converted to float32. Tensor(2, 3) is an uninitialized tensor of these sizes.\n\n"
    ">>> import opwright as ow\n"
    ">>> ow.Tensor([[1.0, 2.0], [3.0, 4.0]])\n"
    "tensor([[1., 2.],\n"
    "        [3., 4.]])\n";

TensorSlots join_slots() {
  TensorSlots all;
  add_attribute_slots(all);
  add_autograd_slots(all);
  add_value_slots(all);
  add_conversion_slots(all);
  add_device_slots(all);
  add_number_slots(all);
  add_index_slots(all);
  add_exchange_slots(all);
  add_storage_slots(all);
  add_kind_slots(all);
  add_form_slots(all);
  add_method_form_slots(all);
  add_element_slots(all);
  add_pickle_slots(all);
  all.methods.push_back({});
  all.properties.push_back({});
  all.slots.push_back({Py_tp_methods, all.methods.data()});
  all.slots.push_back({Py_tp_getset, all.properties.data()});
  all.slots.push_back({Py_tp_doc, const_cast<char*>(kTensorDoc)});
  return all;
}

}  // namespace

std::vector<PyType_Slot> tensor_slots() {
  static TensorSlots all = join_slots();
  return all.slots;
}

}  // namespace opwright::python
