// Converts Python objects to values of our calling convention, by schema type, and back. The GIL is
// held; errors are TypeErrors that name both types, without the argument.
#pragma once

#include <Python.h>

#include "bridges/torch/python/argument_frame.h"
#include "opwright/c_api.h"
#include "opwright/runtime/bridge.h"

namespace opwright::torch_bridge {

// A borrowed value, valid while `frame` and the object are.
[[nodiscard]] OpwValue lend_object(PyObject* object, const ValueType& type, ArgumentFrame& frame);

// The same without a schema type: for gradients and batch dims. A list of tensors is a Tensor[],
// every other one a List.
[[nodiscard]] OpwValue lend_untyped(PyObject* object, ArgumentFrame& frame);

// An owned value.
[[nodiscard]] OpwValue give_object(PyObject* object, const ValueType& type);

// The object of a borrowed value; a new reference. An undefined tensor is None.
[[nodiscard]] PyObject* object_of_value(const OpwValue& value);

}  // namespace opwright::torch_bridge
