// The header of the C++ frontend: only its tensors and operators; no modules, optimisers or data
// loaders.
#pragma once

#include "opwright/compat/ATen/Parallel.h"
#include "opwright/compat/torch/autograd.h"
#include "opwright/compat/torch/types.h"
