// opwright.SourceKernel: a kernel in a device's language, launched from Python.
#pragma once

namespace nanobind {
class module_;
}

namespace opwright::python {

void bind_device_kernel(nanobind::module_& m);

}  // namespace opwright::python
