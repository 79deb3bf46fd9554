// How _embedding_bag reduces the rows of a bag.
#pragma once

#include <cstdint>

namespace opwright {

// PyTorch's values.
enum class BagMode : uint8_t { Sum, Mean, Max };

}  // namespace opwright
