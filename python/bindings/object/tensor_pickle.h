// Pickling and copying of opwright.Tensor: class and attributes are kept, bytes are stored once.
#pragma once

#include <Python.h>

#include "bindings/object/tensor_slots.h"

namespace nanobind {
class module_;
}

namespace opwright::python {

// __reduce_ex__, __copy__, __deepcopy__.
void add_pickle_slots(TensorSlots& out);
// The function by which pickles are loaded.
void bind_rebuild(nanobind::module_& m);

}  // namespace opwright::python
