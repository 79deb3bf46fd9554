// How padding without a value of its own continues a tensor.
#pragma once

#include <cstdint>

namespace opwright {

enum class Border : uint8_t { Reflect, Replicate };

}  // namespace opwright
