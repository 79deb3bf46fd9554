// The devices of this process for Python: loading plug-ins, the properties of each device, and its
// memory.
#pragma once

namespace nanobind {
class module_;
}

namespace opwright::python {

void bind_device_table(nanobind::module_& m);

}  // namespace opwright::python
