// Tensor arithmetic is found through the class. Exists so that sources can include it.
#pragma once

#include "opwright/compat/ATen/core/Tensor.h"
