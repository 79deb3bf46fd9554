// Sends the core's warnings to Python.
#pragma once

namespace nanobind {
class module_;
}

namespace opwright::python {

// Adds PerformanceWarning, and routes the core's warnings through Python's `warnings`.
void bind_warnings(nanobind::module_& m);

}  // namespace opwright::python
