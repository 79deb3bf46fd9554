// bitwise_and, bitwise_or, bitwise_xor, bitwise_not: of ints, and of bools as truth values.
// logical_and, logical_or, logical_xor, logical_not: of any numbers as truth values.
#include "opwright/ops/cpu/kernel.h"
#include "opwright/ops/pointwise.h"

namespace opwright {
namespace {

template <class T>
struct BitAnd {
  static constexpr bool kIsModular = true;
  OPWRIGHT_INLINE T operator()(T x, T y) const { return static_cast<T>(x & y); }
};
template <class T>
struct BitOr {
  static constexpr bool kIsModular = true;
  OPWRIGHT_INLINE T operator()(T x, T y) const { return static_cast<T>(x | y); }
};
template <class T>
struct BitXor {
  static constexpr bool kIsModular = true;
  OPWRIGHT_INLINE T operator()(T x, T y) const { return static_cast<T>(x ^ y); }
};
template <class T>
struct BitNot {
  static constexpr bool kIsModular = true;
  OPWRIGHT_INLINE T operator()(T x) const {
    if constexpr (kIsBool<T>)
      return !x;
    else
      return static_cast<T>(~x);
  }
};

template <class T>
OPWRIGHT_INLINE bool is_true(T x) {
  return !(x == T{});
}
template <class T>
struct And {
  OPWRIGHT_INLINE bool operator()(T x, T y) const { return is_true(x) & is_true(y); }
};
template <class T>
struct Or {
  OPWRIGHT_INLINE bool operator()(T x, T y) const { return is_true(x) | is_true(y); }
};
template <class T>
struct Xor {
  OPWRIGHT_INLINE bool operator()(T x, T y) const { return is_true(x) != is_true(y); }
};
template <class T>
struct Not {
  OPWRIGHT_INLINE bool operator()(T x) const { return x == T{}; }
};

constexpr const char* kTakesDiscrete = "bool and integral dtypes";

}  // namespace

const PointwiseOp& bitwise_and_op() {
  static constexpr PointwiseOp op{
      .arity = 2, .kernels = &kKernels<BitAnd, DiscreteTypes>, .takes = kTakesDiscrete};
  return op;
}
const PointwiseOp& bitwise_or_op() {
  static constexpr PointwiseOp op{
      .arity = 2, .kernels = &kKernels<BitOr, DiscreteTypes>, .takes = kTakesDiscrete};
  return op;
}
const PointwiseOp& bitwise_xor_op() {
  static constexpr PointwiseOp op{
      .arity = 2, .kernels = &kKernels<BitXor, DiscreteTypes>, .takes = kTakesDiscrete};
  return op;
}
const PointwiseOp& bitwise_not_op() {
  static constexpr PointwiseOp op{
      .arity = 1, .kernels = &kKernels<BitNot, DiscreteTypes>, .takes = kTakesDiscrete};
  return op;
}

const PointwiseOp& logical_and_op() {
  static constexpr PointwiseOp op{
      .arity = 2, .kernels = &kKernels<And, AllTypes>, .rule = ResultRule::Bool};
  return op;
}
const PointwiseOp& logical_or_op() {
  static constexpr PointwiseOp op{
      .arity = 2, .kernels = &kKernels<Or, AllTypes>, .rule = ResultRule::Bool};
  return op;
}
const PointwiseOp& logical_xor_op() {
  static constexpr PointwiseOp op{
      .arity = 2, .kernels = &kKernels<Xor, AllTypes>, .rule = ResultRule::Bool};
  return op;
}
const PointwiseOp& logical_not_op() {
  static constexpr PointwiseOp op{
      .arity = 1, .kernels = &kKernels<Not, AllTypes>, .rule = ResultRule::Bool};
  return op;
}

}  // namespace opwright
