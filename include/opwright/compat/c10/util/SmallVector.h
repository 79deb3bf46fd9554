// c10::SmallVector: here a plain vector, whose elements are always on the heap.
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/visibility.h"

namespace c10 OPWRIGHT_VISIBILITY {
template <class T, unsigned N = 0>
using SmallVector = std::vector<T>;
using DimVector = SmallVector<int64_t, 5>;
}  // namespace c10
namespace at OPWRIGHT_VISIBILITY {
using namespace c10;
}  // namespace at
