// The bridge's interface for the functions of a binary: one OpwHost for each of its two tables.
#pragma once

#include "bridges/torch/torch_operator.h"

namespace opwright::torch_bridge {

// Fills both hosts of the library.
void make_hosts(TorchLibrary& library);

}  // namespace opwright::torch_bridge
