// How padding without a fill value extends a tensor.
#pragma once

#include <cstdint>

namespace opwright {

enum class Border : uint8_t { Reflect, Replicate };

}  // namespace opwright
