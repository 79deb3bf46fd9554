// Calls of Python functions with values: operators of torch that a binary imports, and what
// callbacks of the bridge run.
#pragma once

#include <cstdint>
#include <vector>

#include <Python.h>

#include "bridges/torch/torch_operator.h"
#include "opwright/bridge.h"
#include "opwright/c_api.h"

namespace opwright::torch_bridge {

// Calls `callable` with the values as objects: the last `num_keywords` of them by the names in
// `keywords`, or all by position where that is null. The results become owned values. The lock is
// held; throws what the function raises.
void call_python(PyObject* callable, const OpwValue* args, uint32_t num_args, PyObject* keywords,
                 const std::vector<ResultDescription>& types, OpwValue* results,
                 uint32_t num_results);

// What finds the callable of an import by its name ("aten::mul.Tensor"); owned from here on.
void set_resolver(PyObject* resolver);

// Calls import `index` of the library through Python. Takes the lock.
void call_resolved(TorchLibrary& library, uint32_t index, const OpwValue* args, uint32_t num_args,
                   OpwValue* results, uint32_t num_results);

}  // namespace opwright::torch_bridge
