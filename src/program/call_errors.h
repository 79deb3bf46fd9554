// Errors of a program's run in the terms of its call.
#pragma once

#include "opwright/error.h"
#include "opwright/program/signature.h"

namespace opwright {

// What the graph says of its inputs names the argument where it stands in the call, `batch["mask"]`
// for the graph's `batch_mask`. Other errors stay as they are.
[[nodiscard]] Error in_terms_of_call(const Error& error, const GraphSignature& signature);

}  // namespace opwright
