#include "opwright/tensor/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/for_dtype.h"

namespace opwright {
namespace {

template <class T>
T read(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

// A half whose lower byte is zero.
float read_e5m2(const void* element) {
  Half half;
  half.bits = static_cast<uint16_t>(read<uint8_t>(element) << 8);
  return half;
}

// Four bits of exponent, no infinity; all ones is nan.
float read_e4m3fn(const void* element) {
  const uint8_t byte = read<uint8_t>(element);
  const int exponent = byte >> 3 & 0xf;
  const int mantissa = byte & 0x7;
  const float sign = (byte & 0x80) != 0 ? -1.0F : 1.0F;
  if (exponent == 0xf && mantissa == 7) return std::numeric_limits<float>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -9);
  return sign * std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
}

std::string printed(const char* format, int precision, double value) {
  if (std::isnan(value)) return "nan";  // printf writes the sign of a nan
  char buffer[400];                     // the largest double has 309 digits, and 40 follow
  std::snprintf(buffer, sizeof buffer, format, precision, value);
  return buffer;
}

}  // namespace

FloatFormat::FloatFormat(const std::vector<double>& shown, const PrintOptions& options)
    : precision_(static_cast<int>(options.precision)) {
  double least = std::numeric_limits<double>::infinity();
  double largest = 0;
  for (const double value : shown) {
    if (!std::isfinite(value) || value == 0) continue;
    least = std::min(least, std::abs(value));
    largest = std::max(largest, std::abs(value));
    has_only_integers_ = has_only_integers_ && value == std::ceil(value);
  }
  if (largest == 0) return;
  is_scientific_ =
      options.is_scientific.value_or(largest / least > 1000 || largest > 1e8 || least < 1e-4);
  for (const double value : shown) {
    if (std::isfinite(value) && value != 0) width_ = std::max(width_, bare_text(value).size());
  }
}

std::string FloatFormat::bare_text(double value) const {
  if (is_scientific_) return printed("%.*e", precision_, value);
  if (!has_only_integers_) return printed("%.*f", precision_, value);
  return printed("%.*f", 0, value) + (std::isfinite(value) ? "." : "");
}

std::string FloatFormat::text(double value) const {
  const std::string bare = bare_text(value);
  return std::string(width_ - std::min(width_, bare.size()), ' ') + bare;
}

FloatParts read_float(const void* element, DType dtype) {
  if (dtype == DType::Float8E5M2) return {.real = read_e5m2(element), .imag = 0};
  if (dtype == DType::Float8E4M3FN) return {.real = read_e4m3fn(element), .imag = 0};
  return for_inexact_dtype(dtype, "to_text", [&]<typename T>() -> FloatParts {
    const T value = read<T>(element);
    if constexpr (requires { value.imag; }) {
      return {.real = value.real, .imag = value.imag};
    } else {
      return {.real = static_cast<double>(value), .imag = 0};
    }
  });
}

std::string discrete_text(const void* element, DType dtype) {
  if (dtype == DType::Bool) return read<uint8_t>(element) != 0 ? "True" : "False";
  return for_integral_dtype(dtype, "to_text",
                            [&]<typename T>() { return std::to_string(read<T>(element)); });
}

}  // namespace opwright
