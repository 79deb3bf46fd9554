// Python objects that operators pass on without inspecting: generators.
#pragma once

#include <Python.h>

#include "opwright/c_api.h"

namespace opwright::torch_bridge {

// A counted object of type "Generator" that owns a reference; one count for the caller.
[[nodiscard]] OpwObject* make_opaque(PyObject* object);

// The object of one of these, or of a generator over handles; a new reference. TypeError for any
// other.
[[nodiscard]] PyObject* object_of_opaque(const OpwObject* object);

}  // namespace opwright::torch_bridge
