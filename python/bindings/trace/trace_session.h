// Tracing for Python: what make_fx is made of.
#pragma once

namespace nanobind {
class module_;
}

namespace opwright::python {

void bind_trace_session(nanobind::module_& m);

}  // namespace opwright::python
