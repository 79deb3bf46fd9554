// Equality of DLPack's dtypes and devices; the C header has no `==`.
#pragma once

#include <bit>
#include <cstdint>

#include "opwright/c_api.h"

namespace opwright {

[[nodiscard]] inline bool are_equal(OpwDtype a, OpwDtype b) noexcept {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}
[[nodiscard]] inline bool are_equal(OpwDevice a, OpwDevice b) noexcept {
  return a.type == b.type && a.index == b.index;
}

}  // namespace opwright
