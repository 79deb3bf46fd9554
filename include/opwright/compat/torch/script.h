// Included by sources with torch::RegisterOperators. TorchScript itself is not available.
#pragma once

#include "opwright/compat/torch/custom_class.h"
#include "opwright/compat/torch/library.h"
