// Elements as unsigned keys whose order is the order of the elements, so that sorting and selection
// compare integers. NaN is the largest key; -0 and 0 have the same one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "opwright/ops/engine/cpu/numbers.h"

namespace opwright {

template <size_t kBytes>
using KeyOfSize = std::conditional_t<
    kBytes == 1, uint8_t,
    std::conditional_t<kBytes == 2, uint16_t, std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;
template <class T>
using OrderedKey = KeyOfSize<sizeof(T)>;

template <class T>
inline constexpr bool kHasNan = kIsHalf<T> || std::is_floating_point_v<T>;
// The key of every NaN. Of a dtype without NaN it is an ordinary key.
template <class T>
inline constexpr OrderedKey<T> kNanKey = std::numeric_limits<OrderedKey<T>>::max();

template <class T>
constexpr OrderedKey<T> ordered_key(T value) {
  using Key = OrderedKey<T>;
  constexpr Key kSign = static_cast<Key>(Key{1} << (8 * sizeof(T) - 1));
  if constexpr (kHasNan<T>) {
    const Key bits = std::bit_cast<Key>(value);
    const Key infinity =
        std::bit_cast<Key>(convert_number<T>(std::numeric_limits<float>::infinity()));
    const auto magnitude = static_cast<Key>(bits & static_cast<Key>(~kSign));
    if (magnitude > infinity) return kNanKey<T>;
    const bool is_negative = magnitude != bits && magnitude != 0;
    return static_cast<Key>(is_negative ? ~bits : magnitude | kSign);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<Key>(static_cast<Key>(value) ^ kSign);
  } else {
    return static_cast<Key>(value);
  }
}

// The element of a key; any NaN for the key of NaN.
template <class T>
constexpr T element_of_key(OrderedKey<T> key) {
  using Key = OrderedKey<T>;
  constexpr Key kSign = static_cast<Key>(Key{1} << (8 * sizeof(T) - 1));
  if constexpr (kHasNan<T>) {
    const bool is_positive = (key & kSign) != 0;
    const auto bits = static_cast<Key>(is_positive ? key ^ kSign : ~key);
    return std::bit_cast<T>(bits);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(static_cast<Key>(key ^ kSign));
  } else {
    return static_cast<T>(key);
  }
}

}  // namespace opwright
