// Finds a class that a text names, without importing or running anything.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

#include "bindings/pytree/tree_spec.h"

namespace opwright::python {

// "model:Outer.Pair"
[[nodiscard]] std::string class_place(nanobind::handle type);

// The class at that place whose instances are nodes of that kind with those fields (of a registered
// class none). ImportError tells what to import, define or register.
[[nodiscard]] nanobind::object find_class(const std::string& place, TreeKind kind,
                                          const nanobind::object& fields);

}  // namespace opwright::python
