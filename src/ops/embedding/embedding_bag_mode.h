// What _embedding_bag makes of the rows of a bag.
#pragma once

#include <cstdint>

namespace opwright {

// The numbers that PyTorch gives them.
enum class BagMode : uint8_t { Sum, Mean, Max };

}  // namespace opwright
