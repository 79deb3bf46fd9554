// The largest and the smallest element as functors of folds. Not-a-number is beyond both.
#pragma once

#include <limits>
#include <type_traits>

#include "opwright/ops/cpu/fold_kernel.h"

namespace opwright {

template <class T, bool kIsLargest>
struct Extremum {
  OPWRIGHT_INLINE static T identity() {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<T>)
      return kIsLargest ? -Limits::infinity() : Limits::infinity();
    else
      return kIsLargest ? Limits::lowest() : Limits::max();
  }
  // Whether an element takes the place of what was found before.
  OPWRIGHT_INLINE static bool is_beyond(T element, T found) {
    const bool exceeds = kIsLargest ? element > found : element < found;
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<int>(exceeds) |
             (static_cast<int>(element != element) & static_cast<int>(found == found));
    else
      return exceeds;
  }
  OPWRIGHT_INLINE static T step(T found, T element) {
    const bool exceeds = kIsLargest ? element > found : element < found;
    const T better = exceeds ? element : found;
    if constexpr (std::is_floating_point_v<T>)
      return element != element ? element : better;
    else
      return better;
  }
  OPWRIGHT_INLINE static T merge(T a, T b) { return step(a, b); }
  static T finish(T found, const FoldNumbers& /*numbers*/) { return found; }
};
template <class T>
using Largest = Extremum<T, true>;
template <class T>
using Smallest = Extremum<T, false>;

}  // namespace opwright
