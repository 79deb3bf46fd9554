// neg, abs, sign, sgn, conj_physical, ceil, floor, round, trunc: sign changes and rounding.
#include <cmath>
#include <complex>
#include <string_view>

#include "opwright/error.h"
#include "opwright/ops/engine/pointwise/kernel.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/ops/engine/shape/promotion.h"

namespace opwright {
namespace {

template <class T>
struct Negate {
  static constexpr bool kIsModular = true;
  OPWRIGHT_INLINE T operator()(T x) const {
    if constexpr (kIsInt<T>)
      return wrap_sub(T(0), x);
    else
      return -x;
  }
};

template <class T>
struct Abs {
  static constexpr bool kIsScalar = std::is_unsigned_v<T>;
  OPWRIGHT_INLINE auto operator()(T x) const {
    if constexpr (kIsComplex<T>)
      return std::abs(std::complex(x.real, x.imag));
    else if constexpr (std::is_unsigned_v<T>)
      return x;
    else if constexpr (kIsInt<T>)
      return x < 0 ? wrap_sub(T(0), x) : x;
    else
      return std::abs(x);
  }
};

template <class T>
struct Sign {
  static constexpr bool kIsScalar = kIsBool<T>;
  OPWRIGHT_INLINE T operator()(T x) const {
    if constexpr (kIsBool<T>)
      return x;
    else
      return static_cast<T>((T(0) < x ? 1 : 0) - (x < T(0) ? 1 : 0));
  }
};

template <class T>
struct UnitDirection {  // of a complex number: the one of length 1 in the same direction
  static constexpr bool kIsScalar = kIsBool<T> || kIsComplex<T>;
  OPWRIGHT_INLINE T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      const auto length = std::abs(std::complex(x.real, x.imag));
      return length == 0 ? T(0) : T(x.real / length, x.imag / length);
    } else {
      return Sign<T>()(x);
    }
  }
};

template <class T>
struct Conjugate {
  static constexpr bool kIsScalar = true;  // for real numbers: a copy
  OPWRIGHT_INLINE T operator()(T x) const {
    if constexpr (kIsComplex<T>)
      return T(x.real, -x.imag);
    else
      return x;
  }
};

template <class T>
struct Ceil {
  static constexpr bool kIsScalar = kIsInt<T>;
  OPWRIGHT_INLINE T operator()(T x) const {
    if constexpr (kIsInt<T>)
      return x;
    else
      return std::ceil(x);
  }
};
template <class T>
struct Floor {
  static constexpr bool kIsScalar = kIsInt<T>;
  OPWRIGHT_INLINE T operator()(T x) const {
    if constexpr (kIsInt<T>)
      return x;
    else
      return std::floor(x);
  }
};
template <class T>
struct Round {  // ties to even
  static constexpr bool kIsScalar = kIsInt<T>;
  OPWRIGHT_INLINE T operator()(T x) const {
    if constexpr (kIsInt<T>)
      return x;
    else
      return std::nearbyint(x);
  }
};
template <class T>
struct Trunc {
  static constexpr bool kIsScalar = kIsInt<T>;
  OPWRIGHT_INLINE T operator()(T x) const {
    if constexpr (kIsInt<T>)
      return x;
    else
      return std::trunc(x);
  }
};

void refuse_negative_of_bool(const PointwiseCall& call, DType common) {
  OPWRIGHT_CHECK(common != DType::Bool, call.who,
                 ": a bool tensor has no negative; use logical_not to invert it");
}
void check_magnitude(const PointwiseCall& call, DType common) {
  OPWRIGHT_CHECK(common != DType::Bool, call.who, ": a bool tensor has no absolute value");
  OPWRIGHT_CHECK(!is_complex(common) || !std::string_view(call.who).ends_with('_'), call.who,
                 ": self is ", common, ", and its magnitudes are ", real_dtype(common),
                 "; use abs, which makes a new tensor");
}

}  // namespace

const PointwiseOp& neg_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Negate, NumberTypes>,
                                  .check = &refuse_negative_of_bool,
                                  .formula = "-x"};
  return op;
}
const PointwiseOp& abs_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Abs, NumberTypes>,
                                  .rule = ResultRule::Real,
                                  .check = &check_magnitude,
                                  .formula = "absolute(x)",
                                  .formula_of_ints = "x < 0 ? -x : x"};
  return op;
}
const PointwiseOp& sign_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Sign, OrderedTypes>,
                                  .takes = "real dtypes",
                                  .formula = "x > 0 ? 1 : x < 0 ? -1 : 0",
                                  .formula_of_bools = "x"};
  return op;
}
const PointwiseOp& sgn_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<UnitDirection, AllTypes>,
                                  .formula = "x > 0 ? 1 : x < 0 ? -1 : 0",
                                  .formula_of_bools = "x"};
  return op;
}
const PointwiseOp& conj_physical_op() {
  static constexpr PointwiseOp op{
      .arity = 1, .kernels = &kKernels<Conjugate, AllTypes>, .formula = "x"};
  return op;
}
const PointwiseOp& ceil_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Ceil, RealTypes>,
                                  .takes = kTakesReal,
                                  .formula = "ceil(x)",
                                  .formula_of_ints = "x"};
  return op;
}
const PointwiseOp& floor_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Floor, RealTypes>,
                                  .takes = kTakesReal,
                                  .formula = "floor(x)",
                                  .formula_of_ints = "x"};
  return op;
}
const PointwiseOp& round_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Round, RealTypes>,
                                  .takes = kTakesReal,
                                  .formula = "round(x)",
                                  .formula_of_ints = "x"};
  return op;
}
const PointwiseOp& trunc_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Trunc, RealTypes>,
                                  .takes = kTakesReal,
                                  .formula = "trunc(x)",
                                  .formula_of_ints = "x"};
  return op;
}

}  // namespace opwright
