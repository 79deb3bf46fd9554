// The refusal to read data that are not there: of fakes, and of values inside of a transform.
#pragma once

#include <string_view>

#include "opwright/tensor.h"

namespace opwright {

// Names what was asked for (`who`, "item"), the tensor, the user's line, and the ways out. `kind`
// is that of the error.
[[noreturn]] void throw_no_data(std::string_view who, const Tensor& tensor,
                                const char* kind = "RuntimeError");

}  // namespace opwright
