// Functions of an extension module as operators.
#pragma once

#include "opwright/compat/pybind11/pybind11.h"
#include "opwright/compat/torch/types.h"

namespace py = pybind11;

namespace torch OPWRIGHT_VISIBILITY {
// PyTorch translates exceptions here; in Opwright, the adapter of every operator does.
template <class F>
F wrap_pybind_function(F function) {
  return function;
}
}  // namespace torch
