// torch's generators as objects of our calling convention: kernels pass them on.
#pragma once

#include "bridges/torch/stable_abi.h"
#include "opwright/c_api.h"

namespace opwright::torch_bridge {

// A counted object over a new handle of the borrowed one; owned. Throws Error.
[[nodiscard]] OpwObject* make_generator_object(AtenGeneratorHandle generator);
// A new handle of the object's generator; owned. TypeError for any other object.
[[nodiscard]] AtenGeneratorHandle copy_generator(const OpwObject* object);

}  // namespace opwright::torch_bridge
