// Tracing for Python: the parts of make_fx.
#pragma once

namespace nanobind {
class module_;
}

namespace opwright::python {

void bind_trace_session(nanobind::module_& m);

}  // namespace opwright::python
