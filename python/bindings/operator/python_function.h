// A Python callable as a function of an operator's row: a record whose `self` is the callable.
//
// It acquires the GIL itself. Its exceptions reach the caller as the same object, through any
// number of C++ frames and from any thread.
#pragma once

#include <Python.h>

#include "opwright/dispatch/slot.h"
#include "opwright/registration/kernel.h"

namespace opwright::python {

// The arguments of the callable:
//   the operator's arguments, keyword-only ones by name, for kernels and composite bodies;
//   the values that c_api.h lists, all by position, for rules;
//   the Operator and then its arguments, for fallbacks;
//   (ctx, inputs, output), with keyword_only_inputs third if there are any, for setup_context;
//   (ctx, gradient of each result...) for a formula, which returns a gradient or None for each
//   argument, except keyword-only ones that are not tensors.
enum class Convention : uint8_t { Kernel, Rule, Fallback, SetupContext, Formula };
Convention convention_of(Slot slot);

// Takes its own reference, which the registry drops. TypeError if it is not callable. With
// `checks_aliases`, each call checks that the results alias what the schema says, and no more.
BoxedFunction box_python(PyObject* callable, Convention convention, bool checks_aliases = false);

// The callable of a BoxedFunction of box_python, borrowed; null for any other function.
PyObject* callable_of(const BoxedFunction& boxed);

}  // namespace opwright::python
