// The order of dimensions in memory that PyTorch chooses for a new tensor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include "opwright/base/small_vector.h"
#include "opwright/symbolic/shape_env/layout_questions.h"
#include "opwright/symbolic/shape_env/questions.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {

// Whether `inner` belongs further out than `outer` by the strides of one tensor: positive: yes,
// negative: no, 0: undecided. A repeated dimension (stride 0) is undecided.
template <class Int>
[[nodiscard]] int compare_dims(std::span<const Int> sizes, std::span<const Int> strides,
                               size_t inner, size_t outer) {
  if (is_known_equal(strides[inner], Int(0)) || is_known_equal(strides[outer], Int(0))) return 0;
  if (is_laid_equal(strides[inner], strides[outer]))
    return is_laid_less(sizes[outer], sizes[inner]) ? 1 : 0;
  if (is_laid_less(strides[inner], strides[outer])) return -1;
  return is_laid_less(strides[outer], strides[inner]) ? 1 : 0;
}

// Dimensions innermost first. compare(inner, outer) has the contract of compare_dims. While it is
// undecided, others may still pass a dimension, which no comparison sort of the library supports:
// this is an insertion sort that stops where the order is certain.
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
