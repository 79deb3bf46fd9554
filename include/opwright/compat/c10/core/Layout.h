// c10::Layout: only strided exists.
#pragma once

#include "opwright/memory_format.h"

namespace c10 OPWRIGHT_VISIBILITY {
using opwright::Layout;
inline constexpr Layout kStrided = Layout::Strided;
}  // namespace c10
namespace at OPWRIGHT_VISIBILITY {
using namespace c10;
}  // namespace at
