#pragma once

#include "opwright/compat/ATen/core/Tensor.h"
