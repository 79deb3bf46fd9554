// Included by extensions: tensors, operators, libraries and PYBIND11_MODULE.
#pragma once

#include "opwright/compat/torch/all.h"
#include "opwright/compat/torch/library.h"
#include "opwright/compat/torch/python.h"
