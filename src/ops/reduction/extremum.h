// The largest and the smallest element, as reduction functors. NaN wins in both.
#pragma once

#include <limits>
#include <type_traits>

#include "opwright/ops/engine/reduction/reduction_kernel.h"

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
  // Whether `element` replaces `found`.
  OPWRIGHT_INLINE static bool is_beyond(T element, T found) {
    if constexpr (std::is_floating_point_v<T>)
      return exceeds(element, found) || (element != element && found == found);
    else
      return exceeds(element, found);
  }
  OPWRIGHT_INLINE static bool exceeds(T element, T found) {
    return kIsLargest ? element > found : element < found;
  }
  OPWRIGHT_INLINE static T step(T found, T element) {
    const T better = exceeds(element, found) ? element : found;
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
