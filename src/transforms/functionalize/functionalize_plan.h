// What functionalize knows about an operator before calling it.
#pragma once

#include <cstdint>

#include "opwright/transforms/functionalize/functionalize.h"

namespace opwright {

struct Functionalize::Plan {
  bool writes = false;
  bool draws = false;
  bool is_view = false;
  bool is_as_strided = false;
  int32_t generator = -1;
};

}  // namespace opwright
