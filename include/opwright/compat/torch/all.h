#pragma once

#include "opwright/compat/torch/torch.h"
