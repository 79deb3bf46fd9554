// What the part of the bridge without Python asks of this module; see bridges/torch/python_hooks.h.
#pragma once

#include "bridges/torch/torch_operator.h"

namespace opwright::torch_bridge {

// Sets python_hooks.
void install_hooks();

// Makes the loops of the library's functions give Python's lock away while other threads work.
void unlock_loops(TorchLibrary& library);

}  // namespace opwright::torch_bridge
