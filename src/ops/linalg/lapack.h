// LAPACK, found at run time: nothing is linked. The library is opened by the first call.
//
// It is the file that OPWRIGHT_LAPACK names, else OpenBLAS or LAPACK of the system, else the
// OpenBLAS that a wheel of NumPy or SciPy brings (found by what set_lapack_finder registered).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "opwright/complex.h"
#include "opwright/visibility.h"

namespace opwright {

// Integers are passed as 64 bits: a library that reads 32 reads the lower half. What such a library
// writes is read by lapack_int() from a number that was 0.
struct LapackRoutine {
  void* address;

  // Every argument is a pointer, as in Fortran; the lengths of texts, all 1, follow.
  template <class... Pointers>
  void operator()(Pointers... pointers) const {
    using Function = void (*)(Pointers..., size_t, size_t, size_t);
    reinterpret_cast<Function>(address)(pointers..., 1, 1, 1);
  }
};

// Looks up `prefix` + `name`, for example "d" and "getrf". Throws RuntimeError if there is no
// LAPACK, with what to install.
[[nodiscard]] LapackRoutine find_lapack_routine(char prefix, const char* name);

// Whether integers have 64 bits.
[[nodiscard]] bool lapack_has_wide_ints();
[[nodiscard]] inline int64_t lapack_int(int64_t written) {
  return lapack_has_wide_ints() ? written : static_cast<int32_t>(written);
}
// The element of an array that LAPACK wrote or reads.
[[nodiscard]] int64_t read_lapack_int(const int64_t* memory, int64_t index);
void write_lapack_int(int64_t* memory, int64_t index, int64_t value);

// While it lives, the library uses at most `count` threads of its own, if it is an OpenBLAS. Scopes
// of several threads may overlap: the last one restores what the first one found.
class [[nodiscard]] LapackThreads {
 public:
  explicit LapackThreads(int count);
  ~LapackThreads();
  LapackThreads(const LapackThreads&) = delete;
  LapackThreads& operator=(const LapackThreads&) = delete;
};

// Called once if the system has no LAPACK: returns the path of a library, or an empty text.
using LapackFinder = std::string (*)();
OPWRIGHT_EXPORT void set_lapack_finder(LapackFinder finder);

template <class T>
inline constexpr char kLapackPrefix = '?';
template <>
inline constexpr char kLapackPrefix<float> = 's';
template <>
inline constexpr char kLapackPrefix<double> = 'd';
template <>
inline constexpr char kLapackPrefix<Complex<float>> = 'c';
template <>
inline constexpr char kLapackPrefix<Complex<double>> = 'z';

template <class T>
[[nodiscard]] LapackRoutine find_lapack(const char* name) {
  return find_lapack_routine(kLapackPrefix<T>, name);
}

}  // namespace opwright
