// Kernel: one function of an operator's row, called without dispatch.
#pragma once

namespace nanobind {
class module_;
}

namespace opwright::python {

void bind_kernel(nanobind::module_& m);

}  // namespace opwright::python
