#pragma once

#include "opwright/compat/torch/csrc/autograd/custom_function.h"
