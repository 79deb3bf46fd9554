// Plans of discrete Fourier transforms of one length: factors and twiddles, computed once and
// cached per length and dtype.
//
// A length is factored into 4, 2, 3, 5 and other primes up to kLargestFactor (Stockham's passes,
// which need no reordering). A length with a larger prime factor becomes a convolution of a length
// without one (Bluestein).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace opwright {

inline constexpr int64_t kLargestFactor = 31;

// A complex number whose parts are numbers, or vectors with one number per line.
template <class Vector>
struct ComplexPair {
  Vector real;
  Vector imag;
};

// One pass: `groups` butterflies of `radix` numbers, each repeated `stride` times.
struct FftPass {
  int64_t radix;
  int64_t groups;
  int64_t stride;
  int64_t first_twiddle;  // of groups * (radix - 1), in FftPlan::twiddles
  int64_t first_root;     // of radix roots of unity, in FftPlan::roots; for a radix above 5
};

template <class T>
struct FftPlan {
  int64_t length;
  std::vector<FftPass> passes;
  std::vector<ComplexPair<T>> twiddles;
  std::vector<ComplexPair<T>> roots;
  // Bluestein: e^(-pi i k^2 / length), and the transform of its padded conjugate.
  std::shared_ptr<const FftPlan> convolution;
  std::vector<ComplexPair<T>> chirp;
  std::vector<ComplexPair<T>> chirp_transform;

  // How many numbers a transform needs: the line itself and as much scratch memory.
  [[nodiscard]] int64_t scratch_length() const {
    return convolution ? 2 * convolution->length : 2 * length;
  }
};

// For length >= 1. Thread-safe.
template <class T>
[[nodiscard]] std::shared_ptr<const FftPlan<T>> find_fft_plan(int64_t length);

// e^(-2 pi i k / length) for k < count.
template <class T>
[[nodiscard]] std::vector<ComplexPair<T>> roots_of_unity(int64_t length, int64_t count);

}  // namespace opwright
