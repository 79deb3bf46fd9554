// div with a rounding mode, floor_divide, fmod, remainder.
#include <cmath>
#include <limits>
#include <string_view>

#include "opwright/error.h"
#include "opwright/ops/engine/pointwise/kernel.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/value.h"

namespace opwright {

const PointwiseOp& div_op();

namespace {

[[noreturn, gnu::cold, gnu::noinline]] void throw_zero_divisor() {
  throw_error("ZeroDivisionError", "an int was divided by zero");
}

// The quotient of ints, truncated. The smallest int divided by -1 is itself.
template <class T>
T quotient_of_ints(T x, T y) {
  if (y == 0) throw_zero_divisor();
  if constexpr (std::is_signed_v<T>) {
    if (y == -1) return wrap_sub(T(0), x);
  }
  return static_cast<T>(x / y);
}
template <class T>
T rest_of_ints(T x, T y) {
  if (y == 0) throw_zero_divisor();
  if constexpr (std::is_signed_v<T>) {
    if (y == -1) return 0;
  }
  return static_cast<T>(x % y);
}

// The remainder of a truncated division with a quotient below 2^29: then everything is exact in
// double, but the quotient may be off by one.
OPWRIGHT_INLINE double rest_wide(double x, double y) {
  const double over = x < 0 ? -x : x;
  const double under = y < 0 ? -y : y;
  const double whole = std::trunc(over / under);
  const double rest = over - whole * under;
  const double raised = rest < 0 ? rest + under : rest;
  const double result = raised >= under ? raised - under : raised;
  return std::copysign(result, x);
}
OPWRIGHT_INLINE bool has_large_quotient(float x, float y) {
  const float over = x < 0 ? -x : x;
  const float under = y < 0 ? -y : y;
  return !((over < under * 536870912.0F) & (under < std::numeric_limits<float>::infinity()));
}

// Shared by functions based on the remainder: float32 in vectors, unless the quotient is large.
template <class T>
struct OfRest {
  static constexpr bool kIsScalar = !std::is_same_v<T, float>;
  OPWRIGHT_INLINE static T rest(T x, T y) {
    if constexpr (std::is_same_v<T, float>)
      return static_cast<float>(rest_wide(x, y));
    else
      return exact_rest(x, y);
  }
  OPWRIGHT_INLINE static T exact_rest(T x, T y) {
    if constexpr (kIsInt<T>)
      return rest_of_ints(x, y);
    else
      return std::fmod(x, y);
  }
  OPWRIGHT_INLINE bool is_special(T x, T y) const
    requires(std::is_same_v<T, float>)
  {
    return has_large_quotient(x, y);
  }
};

template <class T>
struct Fmod : OfRest<T> {
  OPWRIGHT_INLINE T operator()(T x, T y) const { return this->rest(x, y); }
  OPWRIGHT_INLINE T special(T x, T y) const { return this->exact_rest(x, y); }
};

// The remainder has the sign of the divisor.
template <class T>
struct Remainder : OfRest<T> {
  OPWRIGHT_INLINE T operator()(T x, T y) const { return moved(this->rest(x, y), y); }
  OPWRIGHT_INLINE T special(T x, T y) const { return moved(this->exact_rest(x, y), y); }
  OPWRIGHT_INLINE static T moved(T rest, T y) {
    const bool is_moved = (rest != T(0)) & ((y < T(0)) != (rest < T(0)));
    const T sum = static_cast<T>(rest + y);
    return is_moved ? sum : rest;
  }
};

template <class T>
struct DivideFloor : OfRest<T> {
  OPWRIGHT_INLINE T operator()(T x, T y) const {
    if constexpr (kIsInt<T>)
      return floor_of_ints(x, y);
    else
      return from_rest(x, y, this->rest(x, y));
  }
  OPWRIGHT_INLINE T special(T x, T y) const { return from_rest(x, y, this->exact_rest(x, y)); }
  static T floor_of_ints(T x, T y) {
    const T quotient = quotient_of_ints(x, y);
    const bool is_below = rest_of_ints(x, y) != 0 && (x < 0) != (y < 0);
    return static_cast<T>(is_below ? quotient - 1 : quotient);
  }
  // Like Python's division: the floor of the exact quotient, with the sign of a zero.
  OPWRIGHT_INLINE static T from_rest(T x, T y, T rest) {
    const T plain = x / y;
    const bool is_below = (rest != T(0)) & ((y < T(0)) != (rest < T(0)));
    const T near = (x - rest) / y;
    const T quotient = is_below ? near - T(1) : near;
    const T floor = std::floor(quotient);
    const T rounded = quotient - floor > T(0.5) ? floor + T(1) : floor;
    const T whole = quotient != T(0) ? rounded : std::copysign(T(0), plain);
    return y == T(0) ? plain : whole;
  }
};

template <class T>
struct DivideTrunc {
  static constexpr bool kIsScalar = kIsInt<T>;
  OPWRIGHT_INLINE T operator()(T x, T y) const {
    if constexpr (kIsInt<T>)
      return quotient_of_ints(x, y);
    else
      return std::trunc(x / y);
  }
};

constexpr PointwiseOp kDivideFloor{.arity = 2,
                                   .kernels = &kKernels<DivideFloor, RealTypes>,
                                   .takes = kTakesReal,
                                   .formula = "divide_floor(x, y)",
                                   .refuses_zero = true};
constexpr PointwiseOp kDivideTrunc{.arity = 2,
                                   .kernels = &kKernels<DivideTrunc, RealTypes>,
                                   .takes = kTakesReal,
                                   .formula = "trunc(x / y)",
                                   .formula_of_ints = "divide_trunc(x, y)",
                                   .refuses_zero = true};

void choose_rounding(PointwiseCall& call) {
  const OpwValue& mode = call.others[0];
  if (mode.tag == kOpwNone) {
    call.op = &div_op();
    return;
  }
  const std::string_view name = ValueOf<std::string_view>::read(mode);
  OPWRIGHT_CHECK(name == "floor" || name == "trunc", call.who,
                 ": rounding_mode must be None, 'floor' or 'trunc', got '", name, "'");
  call.op = name == "floor" ? &kDivideFloor : &kDivideTrunc;
}

}  // namespace

const PointwiseOp& div_mode_op() {
  static constexpr PointwiseOp op{.arity = 2, .prepare = &choose_rounding};
  return op;
}
const PointwiseOp& floor_divide_op() { return kDivideFloor; }

const PointwiseOp& fmod_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<Fmod, RealTypes>,
                                  .takes = kTakesReal,
                                  .formula = "fmod(x, y)",
                                  .refuses_zero = true};
  return op;
}
const PointwiseOp& remainder_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<Remainder, RealTypes>,
                                  .takes = kTakesReal,
                                  .formula = "remainder(x, y)",
                                  .refuses_zero = true};
  return op;
}

}  // namespace opwright
