// Python objects that operators pass on without inspecting: generators, functions of a binary.
#pragma once

#include <Python.h>

#include "opwright/c_api.h"

namespace opwright::torch_bridge {

// A counted object of type "Generator" that owns a reference; one count for the caller.
[[nodiscard]] OpwObject* make_opaque(PyObject* object);

// The object of one of these, of a generator over handles, or of a binary's autograd function; a
// new reference. TypeError for any other.
[[nodiscard]] PyObject* object_of_opaque(const OpwObject* object);

// ---- Functions of a binary, which apply_function records
// (opwright/registration/host_functions.h).
[[nodiscard]] bool is_autograd_function(const OpwObject* object);
// An opwright._torch.Function that owns a count of it; a new reference.
[[nodiscard]] PyObject* object_of_function(OpwObject* function);
void add_function_type(PyObject* module);

}  // namespace opwright::torch_bridge
