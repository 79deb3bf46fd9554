// vmap for Python.
#pragma once

namespace nanobind {
class module_;
}

namespace opwright::python {

void bind_vmap(nanobind::module_& m);

}  // namespace opwright::python
