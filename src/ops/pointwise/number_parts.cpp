// Signs, parts and special values of numbers: frac, signbit, copysign, isposinf, isneginf,
// nan_to_num, round with decimals, fmax, fmin, heaviside.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/pointwise/kernel.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/value.h"

namespace opwright {

const PointwiseOp& round_op();

namespace {

template <class T>
inline constexpr bool kIsReal = std::is_floating_point_v<T>;
template <class T>
using BitsOf = UnsignedOf<sizeof(T)>;
template <class T>
inline constexpr BitsOf<T> kSignBit = BitsOf<T>{1} << (sizeof(T) * 8 - 1);

template <class T>
struct Fraction {
  OPWRIGHT_INLINE T operator()(T x) const { return x - std::trunc(x); }
};

template <class T>
struct SignBit {
  static constexpr bool kIsScalar = std::is_unsigned_v<T>;  // never set
  OPWRIGHT_INLINE bool operator()(T x) const {
    if constexpr (kIsReal<T>)
      return (std::bit_cast<BitsOf<T>>(x) & kSignBit<T>) != 0;
    else
      return x < T(0);
  }
};

template <class T>
struct CopySign {
  OPWRIGHT_INLINE T operator()(T x, T y) const {
    return std::bit_cast<T>(static_cast<BitsOf<T>>((std::bit_cast<BitsOf<T>>(x) & ~kSignBit<T>) |
                                                   (std::bit_cast<BitsOf<T>>(y) & kSignBit<T>)));
  }
};

template <class T>
struct IsPositiveInfinity {
  static constexpr bool kIsScalar = !kIsReal<T>;
  OPWRIGHT_INLINE bool operator()(T x) const {
    if constexpr (kIsReal<T>)
      return x == std::numeric_limits<T>::infinity();
    else
      return false;
  }
};
template <class T>
struct IsNegativeInfinity {
  static constexpr bool kIsScalar = !kIsReal<T>;
  OPWRIGHT_INLINE bool operator()(T x) const {
    if constexpr (kIsReal<T>)
      return x == -std::numeric_limits<T>::infinity();
    else
      return false;
  }
};

// With the numbers for NaN and the infinities.
template <class T>
struct NanToNum {
  static constexpr bool kIsScalar = !kIsReal<T>;
  using Part = typename decltype([] {
    if constexpr (kIsComplex<T>)
      return std::type_identity<decltype(T{}.real)>{};
    else
      return std::type_identity<T>{};
  }())::type;

  explicit NanToNum(std::span<const Scalar> numbers)
      : nan(number_as<Part>(numbers[0])),
        high(number_as<Part>(numbers[1])),
        low(number_as<Part>(numbers[2])) {}
  OPWRIGHT_INLINE T operator()(T x) const {
    if constexpr (kIsComplex<T>)
      return T(replaced(x.real), replaced(x.imag));
    else if constexpr (kIsReal<T>)
      return replaced(x);
    else
      return x;
  }
  OPWRIGHT_INLINE Part replaced(Part x) const {
    const Part not_low = x == -std::numeric_limits<Part>::infinity() ? low : x;
    const Part finite = x == std::numeric_limits<Part>::infinity() ? high : not_low;
    return x == x ? finite : nan;
  }
  Part nan, high, low;
};

double largest_of(DType dtype) {
  switch (dtype) {
    case DType::Float16:
      return 65504.0;
    case DType::BFloat16:
      return 3.3895313892515355e+38;
    case DType::Float64:
    case DType::Complex128:
      return std::numeric_limits<double>::max();
    default:
      return std::numeric_limits<float>::max();
  }
}
void read_replacements(PointwiseCall& call) {
  const DType dtype = call.operands[0].tensor->dtype();
  if (is_integral(dtype)) {  // nothing to replace
    for (int i = 0; i < 3; ++i) call.numbers.push_back(0);
    return;
  }
  const double largest = largest_of(dtype);
  const auto number_or = [&](size_t i, double otherwise) {
    return ValueOf<std::optional<double>>::read(call.others[i]).value_or(otherwise);
  };
  call.numbers.push_back(number_or(0, 0));
  call.numbers.push_back(number_or(1, largest));
  call.numbers.push_back(number_or(2, -largest));
}

// With a power of ten.
template <class T>
struct RoundAfterPoint {
  explicit RoundAfterPoint(std::span<const Scalar> numbers) : scale(number_as<T>(numbers[0])) {}
  OPWRIGHT_INLINE T operator()(T x) const { return std::nearbyint(x * scale) / scale; }
  T scale;
};
template <class T>
struct RoundBeforePoint {
  explicit RoundBeforePoint(std::span<const Scalar> numbers) : scale(number_as<T>(numbers[0])) {}
  OPWRIGHT_INLINE T operator()(T x) const { return std::nearbyint(x / scale) * scale; }
  T scale;
};
void choose_scale(PointwiseCall& call) {
  static constexpr PointwiseOp before = floating_op<RoundBeforePoint>(1, "round(x / a) * a");
  const auto decimals = ValueOf<int64_t>::read(call.others[0]);
  if (decimals == 0) {
    call.op = &round_op();
    return;
  }
  call.numbers.push_back(std::pow(10.0, std::abs(static_cast<double>(decimals))));
  if (decimals < 0) call.op = &before;
}

// The other number wins over NaN.
template <class T>
struct LargerNumber {
  OPWRIGHT_INLINE T operator()(T x, T y) const {
    const T larger = x > y ? x : y;
    return y == y ? larger : x;
  }
};
template <class T>
struct SmallerNumber {
  OPWRIGHT_INLINE T operator()(T x, T y) const {
    const T smaller = x < y ? x : y;
    return y == y ? smaller : x;
  }
};

template <class T>
struct Heaviside {
  OPWRIGHT_INLINE T operator()(T x, T value) const {
    if constexpr (kIsBool<T>) {
      return x | value;
    } else {
      const T step = x > T(0) ? T(1) : T(0);
      return x == T(0) ? value : step;
    }
  }
};
void check_heaviside(const PointwiseCall& call, DType /*common*/) {
  const DType self = call.operands[0].tensor->dtype();
  const DType values = call.operands[1].tensor->dtype();
  OPWRIGHT_CHECK(self == values, call.who, ": values must have the dtype of self, ", self, ", got ",
                 values);
}

}  // namespace

const PointwiseOp& frac_op() {
  static constexpr PointwiseOp op = floating_op<Fraction>(1, "x - trunc(x)");
  return op;
}
const PointwiseOp& signbit_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<SignBit, OrderedTypes>,
                                  .rule = ResultRule::Bool,
                                  .takes = "real dtypes",
                                  .formula = "copysign(1, x) < 0",
                                  .formula_of_ints = "x < 0",
                                  .formula_of_bools = kNoFormula};
  return op;
}
const PointwiseOp& copysign_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<CopySign, FloatTypes>,
                                  .rule = ResultRule::Inexact,
                                  .takes = "real dtypes",
                                  .formula = "copysign(x, y)"};
  return op;
}
const PointwiseOp& isposinf_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<IsPositiveInfinity, OrderedTypes>,
                                  .rule = ResultRule::Bool,
                                  .takes = "real dtypes",
                                  .formula = "x == 1 / 0",
                                  .formula_of_ints = kNoFormula,
                                  .formula_of_bools = kNoFormula};
  return op;
}
const PointwiseOp& isneginf_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<IsNegativeInfinity, OrderedTypes>,
                                  .rule = ResultRule::Bool,
                                  .takes = "real dtypes",
                                  .formula = "x == -1 / 0",
                                  .formula_of_ints = kNoFormula,
                                  .formula_of_bools = kNoFormula};
  return op;
}
const PointwiseOp& nan_to_num_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<NanToNum, AllTypes>,
                                  .prepare = &read_replacements,
                                  .formula = "x != x ? a : x == 1 / 0 ? b : x == -1 / 0 ? c : x",
                                  .formula_of_ints = "x",
                                  .formula_of_bools = "x"};
  return op;
}
const PointwiseOp& round_decimals_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<RoundAfterPoint, FloatTypes>,
                                  .takes = "floating dtypes",
                                  .prepare = &choose_scale,
                                  .formula = "round(x * a) / a"};
  return op;
}
const PointwiseOp& fmax_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<LargerNumber, OrderedTypes>,
                                  .takes = "real dtypes",
                                  .formula = "y == y ? (x > y ? x : y) : x",
                                  .formula_of_ints = "maximum(x, y)",
                                  .formula_of_bools = "x | y"};
  return op;
}
const PointwiseOp& fmin_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<SmallerNumber, OrderedTypes>,
                                  .takes = "real dtypes",
                                  .formula = "y == y ? (x < y ? x : y) : x",
                                  .formula_of_ints = "minimum(x, y)",
                                  .formula_of_bools = "x & y"};
  return op;
}
const PointwiseOp& heaviside_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<Heaviside, OrderedTypes>,
                                  .takes = "real dtypes",
                                  .check = &check_heaviside,
                                  .formula = "x == 0 ? y : x > 0 ? 1 : 0",
                                  .formula_of_bools = "x | y"};
  return op;
}

}  // namespace opwright
