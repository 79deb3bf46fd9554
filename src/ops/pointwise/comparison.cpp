// eq, ne, lt, le, gt, ge, isnan, isinf.
#include <limits>
#include <type_traits>

#include "opwright/error.h"
#include "opwright/ops/engine/pointwise/kernel.h"
#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {
namespace {

template <class T>
struct Equal {
  OPWRIGHT_INLINE bool operator()(T x, T y) const { return x == y; }
};
template <class T>
struct NotEqual {
  OPWRIGHT_INLINE bool operator()(T x, T y) const { return !(x == y); }
};
template <class T>
struct Less {
  OPWRIGHT_INLINE bool operator()(T x, T y) const { return x < y; }
};
template <class T>
struct LessEqual {
  OPWRIGHT_INLINE bool operator()(T x, T y) const { return x <= y; }
};

template <class T>
struct Greater {
  OPWRIGHT_INLINE bool operator()(T x, T y) const { return x > y; }
};
template <class T>
struct GreaterEqual {
  OPWRIGHT_INLINE bool operator()(T x, T y) const { return x >= y; }
};

template <class T>
struct IsNan {
  static constexpr bool kIsScalar = std::is_integral_v<T>;
  OPWRIGHT_INLINE bool operator()(T x) const { return !(x == x); }
};
template <class T>
struct IsInf {
  static constexpr bool kIsScalar = std::is_integral_v<T>;
  OPWRIGHT_INLINE bool operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      return is_infinite(x.real) || is_infinite(x.imag);
    } else if constexpr (std::is_floating_point_v<T>) {
      return is_infinite(x);
    } else {
      return false;
    }
  }
  template <class R>
  OPWRIGHT_INLINE static bool is_infinite(R x) {
    return (x < 0 ? -x : x) == std::numeric_limits<R>::infinity();
  }
};

void check_order(const PointwiseCall& call, DType common) {
  OPWRIGHT_CHECK_TYPE(!is_complex(common), call.who, ": complex numbers have no order, got ",
                      common);
}

}  // namespace

const PointwiseOp& eq_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<Equal, AllTypes>,
                                  .rule = ResultRule::Bool,
                                  .formula = "x == y",
                                  .formula_of_bools = "!(x ^ y)"};
  return op;
}
const PointwiseOp& ne_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<NotEqual, AllTypes>,
                                  .rule = ResultRule::Bool,
                                  .formula = "x != y",
                                  .formula_of_bools = "x ^ y"};
  return op;
}
const PointwiseOp& lt_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<Less, OrderedTypes>,
                                  .rule = ResultRule::Bool,
                                  .check = &check_order,
                                  .formula = "x < y",
                                  .formula_of_bools = "!x & y"};
  return op;
}
const PointwiseOp& le_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<LessEqual, OrderedTypes>,
                                  .rule = ResultRule::Bool,
                                  .check = &check_order,
                                  .formula = "x <= y",
                                  .formula_of_bools = "!x | y"};
  return op;
}
const PointwiseOp& gt_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<Greater, OrderedTypes>,
                                  .rule = ResultRule::Bool,
                                  .check = &check_order,
                                  .formula = "x > y",
                                  .formula_of_bools = "x & !y"};
  return op;
}
const PointwiseOp& ge_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<GreaterEqual, OrderedTypes>,
                                  .rule = ResultRule::Bool,
                                  .check = &check_order,
                                  .formula = "x >= y",
                                  .formula_of_bools = "x | !y"};
  return op;
}

const PointwiseOp& isnan_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<IsNan, AllTypes>,
                                  .rule = ResultRule::Bool,
                                  .formula = "isnan(x)",
                                  .formula_of_ints = "x != x",
                                  .formula_of_bools = "x ^ x"};
  return op;
}
const PointwiseOp& isinf_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<IsInf, AllTypes>,
                                  .rule = ResultRule::Bool,
                                  .formula = "isnan(x - x) && !isnan(x)",
                                  .formula_of_ints = "x != x",
                                  .formula_of_bools = "x ^ x"};
  return op;
}

}  // namespace opwright
