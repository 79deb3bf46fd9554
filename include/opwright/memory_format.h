// Memory formats (orders of dimensions in memory) and layouts that schemas can name.
#pragma once

#include <cstdint>

#include "opwright/visibility.h"

namespace opwright OPWRIGHT_VISIBILITY {
enum class MemoryFormat : int32_t {
  Contiguous = 0,
  Preserve = 1,
  ChannelsLast = 2,
  ChannelsLast3d = 3
};
enum class Layout : int32_t { Strided = 0 };
}  // namespace opwright
