// Transforms of all lines of a dense array along one dimension.
#pragma once

#include <cstdint>

namespace opwright {

enum class FftKind : uint8_t {
  ComplexToComplex,
  RealToComplex,  // the first length / 2 + 1 results
  ComplexToReal,  // of the first length / 2 + 1 numbers of a line with Hermitian symmetry
};

// The arrays are [outer, length of a line, inner], complex numbers as pairs; `in` and `out` may be
// the same for ComplexToComplex.
template <class T>
struct FftLines {
  FftKind kind;
  bool forward;  // of ComplexToComplex: the exponent is negative, as in RealToComplex
  int64_t length;
  int64_t outer;
  int64_t inner;
  const T* in;
  T* out;
  double scale;
};

// On all threads. Throws MemoryError.
void transform_lines(const FftLines<float>& lines);
void transform_lines(const FftLines<double>& lines);

}  // namespace opwright
