// opwright.dtype, device, layout and memory_format: small immutable objects, one for each value
// except device.
#pragma once

#include <Python.h>

#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/memory_format.h"

namespace nanobind {
class module_;
}

namespace opwright::python {

extern PyTypeObject* dtype_type;
extern PyTypeObject* device_type;
extern PyTypeObject* memory_format_type;
extern PyTypeObject* layout_type;

void bind_scalar_types(nanobind::module_& m);

// New references.
PyObject* to_python(DType dtype);
PyObject* to_python(Device device);
PyObject* to_python(MemoryFormat format);
PyObject* to_python(Layout layout);

// `object` is of the type.
DType as_dtype(PyObject* object);
Device as_device(PyObject* object);
MemoryFormat as_memory_format(PyObject* object);

// A dtype from a dtype, a Python type (float, int, bool, complex) or a NumPy dtype; a device from a
// device or its text. TypeError and ValueError name the given object.
DType parse_dtype(PyObject* object);
Device parse_device_object(PyObject* object);

}  // namespace opwright::python
