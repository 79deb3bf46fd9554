// Which gradients a backward operator returns: where its output_mask is false, the result is an
// undefined tensor.
#pragma once

#include <cstddef>
#include <span>

#include "opwright/error.h"

namespace opwright {

// One bool per result. ValueError for a different number.
inline void check_output_mask(const char* who, std::span<const bool> mask, size_t count) {
  OPWRIGHT_CHECK_VALUE(mask.size() == count, who, ": output_mask must hold ", count, " bools, got ",
                       mask.size());
}

}  // namespace opwright
