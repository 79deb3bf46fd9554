// Warnings of the core as Python's.
#pragma once

namespace nanobind {
class module_;
}

namespace opwright::python {

// Adds PerformanceWarning, and makes the core's warnings go through Python's `warnings`.
void bind_warnings(nanobind::module_& m);

}  // namespace opwright::python
