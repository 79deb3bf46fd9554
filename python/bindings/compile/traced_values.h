// Finds tensors of a capture in objects that outlive it.
#pragma once

#include <Python.h>

#include "bindings/compile/read_guards.h"
#include "bindings/compile/read_observer.h"
#include "opwright/dispatch/interpreter.h"

namespace opwright::python {

// Whether an object is a tensor of this level.
[[nodiscard]] bool is_traced(PyObject* object, const Interpreter& level);
// Whether an object is one, or a container or an instance that holds one, through a few levels.
[[nodiscard]] bool holds_traced(PyObject* object, const Interpreter& level);

// RuntimeError that names the place if anything in `reads` now holds a tensor of the capture; all
// places are restored first.
void refuse_traced_in(const ReadGuards& reads, const ReadObserver& observer,
                      const Interpreter& level);

}  // namespace opwright::python
