// Calls Python functions with values: torch's operators that a binary imports, and the bridge's
// callbacks.
#pragma once

#include <cstdint>
#include <vector>

#include <Python.h>

#include "bridges/torch/python/reference.h"
#include "bridges/torch/torch_operator.h"
#include "opwright/c_api.h"
#include "opwright/runtime/bridge.h"

namespace opwright::torch_bridge {

// Calls `callable` with the values as objects: the last `num_keywords` of them by the names in
// `keywords`, or all by position if that is null. Throws what the function raises. The GIL is held.
[[nodiscard]] Reference call_python(PyObject* callable, const OpwValue* args, uint32_t num_args,
                                    PyObject* keywords);

// Converts an object to an owned value of a type.
using GiveObject = OpwValue (*)(PyObject* object, const ValueType& type);
// The results of a call as owned values. The GIL is held.
void take_results(const Reference& object, const std::vector<ResultDescription>& types,
                  OpwValue* results, uint32_t num_results, GiveObject give);

// Sets the function that finds the callable of an import by its name ("aten::mul.Tensor"); owned.
void set_resolver(PyObject* resolver);

// Calls import `index` of the library through Python. Acquires the GIL.
void call_resolved(TorchLibrary& library, uint32_t index, const OpwValue* args, uint32_t num_args,
                   OpwValue* results, uint32_t num_results);

}  // namespace opwright::torch_bridge
