// Arithmetic of tensors is found through their class; the header is there for those who include it.
#pragma once

#include "opwright/compat/ATen/core/Tensor.h"
