// Instantiates one body for many dtypes:
//   for_floating_dtype(x.dtype(), "soft_clip", [&]<typename T>() { ... })
#pragma once

#include "opwright/dtype.h"

namespace opwright OPWRIGHT_VISIBILITY {
[[noreturn, gnu::cold]] inline void throw_dtype(DType dtype, const char* who, const char* takes) {
  throw_error("TypeError", who, ": dtype ", dtype, " is not supported; it takes ", takes);
}

// float32, float64, float16, bfloat16
template <class Body>
decltype(auto) for_floating_dtype(DType dtype, const char* who, Body&& body) {
  switch (dtype) {
    case DType::Float32:
      return body.template operator()<float>();
    case DType::Float64:
      return body.template operator()<double>();
    case DType::Float16:
      return body.template operator()<Half>();
    case DType::BFloat16:
      return body.template operator()<BFloat16>();
    default:
      throw_dtype(dtype, who, "floating dtypes");
  }
}

// Signed and unsigned integers; bool is not one.
template <class Body>
decltype(auto) for_integral_dtype(DType dtype, const char* who, Body&& body) {
  switch (dtype) {
    case DType::UInt8:
      return body.template operator()<uint8_t>();
    case DType::UInt16:
      return body.template operator()<uint16_t>();
    case DType::UInt32:
      return body.template operator()<uint32_t>();
    case DType::UInt64:
      return body.template operator()<uint64_t>();
    case DType::Int8:
      return body.template operator()<int8_t>();
    case DType::Int16:
      return body.template operator()<int16_t>();
    case DType::Int32:
      return body.template operator()<int32_t>();
    case DType::Int64:
      return body.template operator()<int64_t>();
    default:
      throw_dtype(dtype, who, "integral dtypes");
  }
}

template <class Body>
decltype(auto) for_complex_dtype(DType dtype, const char* who, Body&& body) {
  switch (dtype) {
    case DType::Complex64:
      return body.template operator()<Complex<float>>();
    case DType::Complex128:
      return body.template operator()<Complex<double>>();
    default:
      throw_dtype(dtype, who, "complex dtypes");
  }
}

// Floating and complex dtypes.
template <class Body>
decltype(auto) for_inexact_dtype(DType dtype, const char* who, Body&& body) {
  if (is_complex(dtype)) return for_complex_dtype(dtype, who, body);
  return for_floating_dtype(dtype, who, body);
}

// Every dtype that supports computation.
template <class Body>
decltype(auto) for_dtype(DType dtype, const char* who, Body&& body) {
  if (dtype == DType::Bool) return body.template operator()<bool>();
  if (is_integral(dtype)) return for_integral_dtype(dtype, who, body);
  if (is_complex(dtype)) return for_complex_dtype(dtype, who, body);
  return for_floating_dtype(dtype, who, body);
}
}  // namespace opwright
