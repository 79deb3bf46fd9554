// The order of dimensions in memory that PyTorch gives a new tensor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "opwright/base/small_vector.h"
#include "opwright/symbolic/sizes.h"

namespace opwright {

// Dimensions innermost first. compare(inner, outer) says whether `inner` belongs further out than
// `outer`: above 0 yes, below 0 no, 0 it cannot tell; then it may still be passed by others, which
// no comparison sort of the library allows: an insertion sort that stops where the order is
// certain.
template <class Compare>
[[nodiscard]] SmallVector<size_t, kInlineDims> order_dims(size_t ndim, const Compare& compare) {
  SmallVector<size_t, kInlineDims> order(ndim);
  std::iota(order.begin(), order.end(), size_t{0});
  std::reverse(order.begin(), order.end());
  for (size_t i = 1; i < ndim; ++i) {
    size_t moving = i;
    for (size_t j = i; j-- > 0;) {
      const int comparison = compare(order[j], order[moving]);
      if (comparison < 0) break;
      if (comparison > 0) {
        std::swap(order[j], order[moving]);
        moving = j;
      }
    }
  }
  return order;
}

}  // namespace opwright
