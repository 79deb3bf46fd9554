// x.pin_memory(), x.is_pinned(), x.record_stream(stream): a tensor's memory and the devices that
// use it.
#include "bindings/object/device_methods.h"

#include <optional>

#include "bindings/object/device_stream.h"
#include "bindings/object/method.h"
#include "opwright/functions.h"
#include "opwright/tensor/pinned_memory.h"
#include "opwright/tensor/recorded_stream.h"

namespace opwright::python {
namespace {

PyObject* pin_memory(PyObject* self, PyObject* /*args*/) {
  return guarded([&] {
    const Tensor tensor = handle_of(self);
    if (tensor.is_fake() || is_pinned(tensor)) return Py_NewRef(self);
    return require(wrap(
        empty_like(tensor, std::nullopt, std::nullopt, std::nullopt, true).copy_(tensor, false)));
  });
}

PyObject* get_is_pinned(PyObject* self, PyObject* /*args*/) {
  return guarded([&] {
    const LentTensor tensor(self);
    return PyBool_FromLong(!tensor->is_fake() && is_pinned(*tensor) ? 1 : 0);
  });
}

PyObject* record_on_stream(PyObject* self, PyObject* stream) {
  return guarded([&] {
    const LentTensor tensor(self);
    const StreamHandle given = read_stream(stream, "record_stream");
    if (tensor->is_fake()) return Py_NewRef(Py_None);
    OPWRIGHT_CHECK_VALUE(given.device == tensor->device(), "record_stream: the stream is one of ",
                         given.device, ", but the tensor is on ", tensor->device());
    record_stream(*tensor, given.stream);
    return Py_NewRef(Py_None);
  });
}

const PyMethodDef kDeviceMethods[] = {
    {"pin_memory", as_method(pin_memory), METH_NOARGS,
     "pin_memory($self, /)\n--\n\n"
     "Copy to pinned CPU memory, from which a device copies asynchronously; returns the tensor\n"
     "itself if it is pinned already.\n\n"
     ">>> import opwright as ow\n"
     ">>> if ow.is_available('cuda'):\n"
     "...     assert ow.ones(2).pin_memory().is_pinned()\n"},
    {"is_pinned", as_method(get_is_pinned), METH_NOARGS,
     "is_pinned($self, /)\n--\n\n"
     "Whether the memory is pinned.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.ones(2).is_pinned()\n"
     "False\n"},
    {"record_stream", as_method(record_on_stream), METH_O,
     "record_stream($self, stream, /)\n--\n\n"
     "Do not reuse the memory before the work that `stream` has when the tensor is freed is\n"
     "done.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.ones(2).record_stream(ow.device_module('cpu').current_stream())\n"},
};

}  // namespace

void add_device_slots(TensorSlots& out) {
  out.methods.insert(out.methods.end(), std::begin(kDeviceMethods), std::end(kDeviceMethods));
}

}  // namespace opwright::python
