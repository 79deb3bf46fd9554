// c10::Scalar: opwright::Scalar with PyTorch's methods.
#pragma once

#include <iosfwd>

#include "opwright/compat/c10/core/ScalarType.h"
#include "opwright/scalar.h"

namespace c10 OPWRIGHT_VISIBILITY {
class Scalar : public opwright::Scalar {
 public:
  using opwright::Scalar::Scalar;
  // NOLINTBEGIN(google-explicit-constructor): every number is a Scalar
  Scalar(opwright::Scalar number) : opwright::Scalar(std::move(number)) {}
  Scalar(Half number) : opwright::Scalar(static_cast<float>(number)) {}
  Scalar(BFloat16 number) : opwright::Scalar(static_cast<float>(number)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] double toDouble() const { return to<double>(); }
  [[nodiscard]] float toFloat() const { return to<float>(); }
  [[nodiscard]] int64_t toLong() const { return to<int64_t>(); }
  [[nodiscard]] int32_t toInt() const { return to<int32_t>(); }
  [[nodiscard]] bool toBool() const { return to<bool>(); }
  [[nodiscard]] bool isIntegral(bool include_bool = false) const {
    return is_integral() || (include_bool && is_bool());
  }
  [[nodiscard]] bool isFloatingPoint() const { return is_floating(); }
  [[nodiscard]] bool isBoolean() const { return is_bool(); }
  [[nodiscard]] bool isComplex() const { return is_complex(); }
  [[nodiscard]] ScalarType type() const {
    return is_floating() ? kDouble : is_complex() ? kComplexDouble : is_bool() ? kBool : kLong;
  }
};

template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out,
                                             const Scalar& number) {
  return out << number.text();
}
}  // namespace c10

template <>
struct opwright::ValueOf<c10::Scalar> : opwright::ValueOf<opwright::Scalar> {};
