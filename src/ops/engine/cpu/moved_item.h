// Elements of any dtype as a type of the same size, for operators that only move them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "opwright/complex.h"

namespace opwright {

// Calls body.operator()<Item>() with the type for elements of the given number of bytes.
template <class Body>
decltype(auto) for_item_size(size_t bytes, Body&& body) {
  switch (bytes) {
    case 1:
      return body.template operator()<uint8_t>();
    case 2:
      return body.template operator()<uint16_t>();
    case 4:
      return body.template operator()<uint32_t>();
    case 8:
      return body.template operator()<uint64_t>();
    default:
      return body.template operator()<Complex<double>>();
  }
}

}  // namespace opwright
