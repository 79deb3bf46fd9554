// A number argument of a schema (`Scalar`): int, float, bool, complex or a symbolic int, stored as
// its own kind.
#pragma once

#include <concepts>
#include <cstdint>

#include "opwright/complex.h"
#include "opwright/dtype.h"
#include "opwright/symint.h"

namespace opwright OPWRIGHT_VISIBILITY {

// Converts a float to an int, truncating. NaN and values outside 64 bits give the smallest int64,
// as on x86; narrower types keep its low bits.
template <class To, class From>
constexpr To float_to_int(From value) {
  constexpr From kLimit = static_cast<From>(9223372036854775808.0);
  if constexpr (std::same_as<To, uint64_t>) {
    if (value >= kLimit && value < 2 * kLimit) return static_cast<uint64_t>(value);
  }
  const bool fits = value >= -kLimit && value < kLimit;
  return static_cast<To>(fits ? static_cast<int64_t>(value) : INT64_MIN);
}

class Scalar {
 public:
  Scalar() : Scalar(0) {}
  // NOLINTBEGIN(google-explicit-constructor): every number is a Scalar
  Scalar(bool value) : tag_(kOpwBool), word_(value ? 1 : 0) {}
  template <std::integral Int>
    requires(!std::same_as<Int, bool>)
  Scalar(Int value) : tag_(kOpwInt), word_(static_cast<int64_t>(value)) {}
  template <std::floating_point Float>
  Scalar(Float value) : tag_(kOpwFloat), parts_{static_cast<double>(value), 0} {}
  template <class T>
  Scalar(Complex<T> value) : tag_(kOpwComplex), parts_{value.real, value.imag} {}
  Scalar(SymInt value)
      : tag_(value.is_symbolic() ? kOpwSymInt : kOpwInt), word_(std::move(value)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] OpwTag tag() const { return tag_; }
  [[nodiscard]] bool is_integral() const { return tag_ == kOpwInt || tag_ == kOpwSymInt; }
  [[nodiscard]] bool is_floating() const { return tag_ == kOpwFloat; }
  [[nodiscard]] bool is_bool() const { return tag_ == kOpwBool; }
  [[nodiscard]] bool is_complex() const { return tag_ == kOpwComplex; }

  // The value converted to T: a float becomes an int as by float_to_int. A complex number with an
  // imaginary part is an error for a real T.
  template <class T>
  [[nodiscard]] T to() const {
    if constexpr (requires { typename T::value_is_complex; } || std::same_as<T, Complex<float>> ||
                  std::same_as<T, Complex<double>>) {
      if (tag_ == kOpwComplex) return T(Complex<double>(parts_[0], parts_[1]));
      return T(Complex<double>(to<double>()));
    } else {
      if (tag_ == kOpwFloat) return from_double<T>(parts_[0]);
      if (tag_ == kOpwComplex) {
        if (parts_[1] != 0)
          throw_error("TypeError", "the complex number ", text(), " cannot become a real one");
        return from_double<T>(parts_[0]);
      }
      return static_cast<T>(word_.specialise());
    }
  }
  [[nodiscard]] const SymInt& sym_int() const { return word_; }
  [[nodiscard]] Complex<double> complex_value() const { return to<Complex<double>>(); }

  // A borrowed value, valid while this Scalar is.
  [[nodiscard]] OpwValue value() const {
    OpwValue value{};
    value.tag = tag_;
    if (tag_ == kOpwFloat) {
      value.as_double = parts_[0];
    } else if (tag_ == kOpwComplex) {
      value.length = 2;
      value.as_doubles = parts_;
    } else {
      value.as_int = word_.word();
    }
    return value;
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    if (tag_ == kOpwFloat) {
      append_text(out, parts_[0]);
    } else if (tag_ == kOpwComplex) {
      append_text(out, Complex<double>(parts_[0], parts_[1]));
    } else if (tag_ == kOpwBool) {
      append_text(out, word_.word() != 0);
    } else {
      append_text(out, word_);
    }
    return out;
  }

 private:
  template <class T>
  static T from_double(double value) {
    if constexpr (std::integral<T> && !std::same_as<T, bool>)
      return float_to_int<T>(value);
    else
      return static_cast<T>(value);
  }

  OpwTag tag_;
  SymInt word_;
  double parts_[2] = {0, 0};
};

inline void append_text(std::string& out, const Scalar& value) { out.append(value.text()); }
}  // namespace opwright
