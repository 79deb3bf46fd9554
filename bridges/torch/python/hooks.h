// Implements the hooks of the bridge's part without Python; see bridges/torch/python_hooks.h.
#pragma once

#include "bridges/torch/torch_operator.h"

namespace opwright::torch_bridge {

// Sets python_hooks.
void install_hooks();

// Makes the loops of the library's functions release the GIL while other threads work.
void unlock_loops(TorchLibrary& library);

}  // namespace opwright::torch_bridge
