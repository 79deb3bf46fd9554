// What sources with torch::RegisterOperators include. TorchScript itself is not there.
#pragma once

#include "opwright/compat/torch/custom_class.h"
#include "opwright/compat/torch/library.h"
