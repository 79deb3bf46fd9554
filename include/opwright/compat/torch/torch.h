// The C++ frontend's header: tensors and operators of it, no modules, optimisers or data loaders.
#pragma once

#include "opwright/compat/ATen/Parallel.h"
#include "opwright/compat/torch/autograd.h"
#include "opwright/compat/torch/types.h"
