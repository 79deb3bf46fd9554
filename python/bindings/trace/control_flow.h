// cond and while_loop for Python.
#pragma once

namespace nanobind {
class module_;
}

namespace opwright::python {

void bind_control_flow(nanobind::module_& m);

}  // namespace opwright::python
