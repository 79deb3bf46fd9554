// Pickles and copies of opwright.Tensor: its class and attributes are kept, its bytes go once.
#pragma once

#include <Python.h>

#include "bindings/object/tensor_slots.h"

namespace nanobind {
class module_;
}

namespace opwright::python {

// __reduce_ex__, __copy__, __deepcopy__.
void add_pickle_slots(TensorSlots& out);
// The function that pickles name to be read back.
void bind_rebuild(nanobind::module_& m);

}  // namespace opwright::python
