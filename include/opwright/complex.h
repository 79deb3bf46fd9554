// Complex numbers with the layout of std::complex, without its header (which includes the entire
// stream library).
#pragma once

#include <string>

#include "opwright/error.h"

namespace opwright OPWRIGHT_VISIBILITY {
template <class T>
struct Complex {
  T real = 0;
  T imag = 0;

  Complex() = default;
  constexpr Complex(T re, T im = 0)
      : real(re), imag(im) {}  // NOLINT(google-explicit-constructor): a real is complex
  template <class U>
  constexpr explicit Complex(const Complex<U>& other)
      : real(static_cast<T>(other.real)), imag(static_cast<T>(other.imag)) {}

  friend constexpr bool operator==(const Complex&, const Complex&) = default;
  friend constexpr Complex operator-(Complex a) { return {-a.real, -a.imag}; }
  friend constexpr Complex operator+(Complex a, Complex b) {
    return {a.real + b.real, a.imag + b.imag};
  }
  friend constexpr Complex operator-(Complex a, Complex b) {
    return {a.real - b.real, a.imag - b.imag};
  }
  friend constexpr Complex operator*(Complex a, Complex b) {
    return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
  }
  friend constexpr Complex operator/(Complex a, Complex b) {  // Smith's method avoids overflow
    const auto magnitude = [](T x) { return x < 0 ? -x : x; };
    if (magnitude(b.real) >= magnitude(b.imag)) {
      const T ratio = b.imag / b.real;
      const T scale = b.real + b.imag * ratio;
      return {(a.real + a.imag * ratio) / scale, (a.imag - a.real * ratio) / scale};
    }
    const T ratio = b.real / b.imag;
    const T scale = b.real * ratio + b.imag;
    return {(a.real * ratio + a.imag) / scale, (a.imag * ratio - a.real) / scale};
  }
};

template <class T>
void append_text(std::string& out, const Complex<T>& value) {
  append_text(out, value.real);
  if (!(value.imag < 0)) out.push_back('+');
  append_text(out, value.imag);
  out.push_back('j');
}
}  // namespace opwright
