// gcd, lcm, and shifts of bits.
#include <cstdint>
#include <type_traits>

#include "opwright/ops/engine/pointwise/kernel.h"
#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {
namespace {

// Unsigned, so that the smallest number has a magnitude.
template <class T>
std::make_unsigned_t<T> distance_from_zero(T x) {
  using Unsigned = std::make_unsigned_t<T>;
  return x < T(0) ? static_cast<Unsigned>(Unsigned{0} - static_cast<Unsigned>(x))
                  : static_cast<Unsigned>(x);
}
template <class U>
U common_divisor(U a, U b) {
  while (b != 0) {
    const U rest = static_cast<U>(a % b);
    a = b;
    b = rest;
  }
  return a;
}

// Euclid's algorithm.
template <class T>
struct Gcd {
  static constexpr bool kIsScalar = true;
  T operator()(T x, T y) const {
    return static_cast<T>(common_divisor(distance_from_zero(x), distance_from_zero(y)));
  }
};
template <class T>
struct Lcm {
  static constexpr bool kIsScalar = true;
  T operator()(T x, T y) const {
    const auto a = distance_from_zero(x);
    const auto b = distance_from_zero(y);
    const auto divisor = common_divisor(a, b);
    if (divisor == 0) return T(0);
    return static_cast<T>(static_cast<uint64_t>(a / divisor) * b);
  }
};

// A shift by less than 0 or by all bits leaves nothing but copies of the sign.
template <class T>
struct ShiftLeft {
  OPWRIGHT_INLINE T operator()(T x, T y) const {
    using Unsigned = std::make_unsigned_t<T>;
    constexpr Unsigned kBits = sizeof(T) * 8;
    const auto count = static_cast<Unsigned>(y);
    const auto bounded = static_cast<Unsigned>(count < kBits ? count : 0);
    const auto shifted = static_cast<T>(static_cast<Unsigned>(x) << bounded);
    return count < kBits ? shifted : T(0);
  }
};
template <class T>
struct ShiftRight {
  // GCC has no vector code for arithmetic shifts of narrow numbers.
  static constexpr bool kIsScalar = std::is_signed_v<T> && sizeof(T) < 4;
  OPWRIGHT_INLINE T operator()(T x, T y) const {
    using Unsigned = std::make_unsigned_t<T>;
    constexpr Unsigned kMost = sizeof(T) * 8 - 1;
    const auto count = static_cast<Unsigned>(y);
    const auto bounded = static_cast<Unsigned>(count < kMost ? count : kMost);
    const auto shifted = static_cast<T>(x >> bounded);
    return std::is_unsigned_v<T> && count > kMost ? T(0) : shifted;
  }
};

constexpr const char* kTakesInts = "integral dtypes";

}  // namespace

const PointwiseOp& gcd_op() {
  static constexpr PointwiseOp op{
      .arity = 2, .kernels = &kKernels<Gcd, IntTypes>, .takes = kTakesInts};
  return op;
}
const PointwiseOp& lcm_op() {
  static constexpr PointwiseOp op{
      .arity = 2, .kernels = &kKernels<Lcm, IntTypes>, .takes = kTakesInts};
  return op;
}
const PointwiseOp& bitwise_left_shift_op() {
  static constexpr PointwiseOp op{
      .arity = 2, .kernels = &kKernels<ShiftLeft, IntTypes>, .takes = kTakesInts};
  return op;
}
const PointwiseOp& bitwise_right_shift_op() {
  static constexpr PointwiseOp op{
      .arity = 2, .kernels = &kKernels<ShiftRight, IntTypes>, .takes = kTakesInts};
  return op;
}

}  // namespace opwright
