// Finds a class by name, without importing or running anything.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

#include "bindings/pytree/tree_spec.h"

namespace opwright::python {

// "model:Outer.Pair"
[[nodiscard]] std::string class_place(nanobind::handle type);

// The class with that name, whose instances must be nodes of that kind with those fields (none for
// a registered class). The ImportError says what to import, define or register.
[[nodiscard]] nanobind::object find_class(const std::string& place, TreeKind kind,
                                          const nanobind::object& fields);

}  // namespace opwright::python
