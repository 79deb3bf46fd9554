// bitwise_and, bitwise_or, bitwise_xor, bitwise_not: on ints, and on bools as truth values.
// logical_and, logical_or, logical_xor, logical_not: on any numbers as truth values.
#include <cstdint>

#include "opwright/ops/engine/pointwise/kernel.h"
#include "opwright/ops/engine/pointwise/pointwise.h"

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
  OPWRIGHT_INLINE T operator()(T x) const { return static_cast<T>(~x); }
};
// A bool as a byte: GCC 12 does not vectorize !x.
struct FlipBool {
  OPWRIGHT_INLINE uint8_t operator()(uint8_t x) const { return static_cast<uint8_t>(x ^ 1); }
};
template <template <class> class F, class Types>
constexpr KernelTable make_not_table() {
  KernelTable table = make_kernel_table<F>(Types{});
  LeveledKernel& of_bools = table[kernel_index(DType::Bool)];
  of_bools = make_kernel<FlipBool, uint8_t>();
  of_bools.output = DType::Bool;
  return table;
}

template <class T>
OPWRIGHT_INLINE bool is_true(T x) {
  return !(x == T{});
}
template <class T>
struct And {
  OPWRIGHT_INLINE bool operator()(T x, T y) const {
    const bool first = is_true(x);
    const bool second = is_true(y);
    return first & second;
  }
};
template <class T>
struct Or {
  OPWRIGHT_INLINE bool operator()(T x, T y) const {
    const bool first = is_true(x);
    const bool second = is_true(y);
    return first | second;
  }
};
template <class T>
struct Xor {
  OPWRIGHT_INLINE bool operator()(T x, T y) const { return is_true(x) != is_true(y); }
};
template <class T>
struct Not {
  OPWRIGHT_INLINE bool operator()(T x) const { return x == T{}; }
};

constexpr KernelTable kBitNotKernels = make_not_table<BitNot, IntTypes>();
constexpr KernelTable kNotKernels = make_not_table<Not, NumberTypes>();
constexpr const char* kTakesDiscrete = "bool and integral dtypes";

}  // namespace

const PointwiseOp& bitwise_and_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<BitAnd, DiscreteTypes>,
                                  .takes = kTakesDiscrete,
                                  .formula = "x & y"};
  return op;
}
const PointwiseOp& bitwise_or_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<BitOr, DiscreteTypes>,
                                  .takes = kTakesDiscrete,
                                  .formula = "x | y"};
  return op;
}
const PointwiseOp& bitwise_xor_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<BitXor, DiscreteTypes>,
                                  .takes = kTakesDiscrete,
                                  .formula = "x ^ y"};
  return op;
}
const PointwiseOp& bitwise_not_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kBitNotKernels,
                                  .takes = kTakesDiscrete,
                                  .formula = "~x",
                                  .formula_of_bools = "!x"};
  return op;
}

const PointwiseOp& logical_and_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<And, AllTypes>,
                                  .rule = ResultRule::Bool,
                                  .formula = "x != 0 && y != 0",
                                  .formula_of_bools = "x & y"};
  return op;
}
const PointwiseOp& logical_or_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<Or, AllTypes>,
                                  .rule = ResultRule::Bool,
                                  .formula = "x != 0 || y != 0",
                                  .formula_of_bools = "x | y"};
  return op;
}
const PointwiseOp& logical_xor_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<Xor, AllTypes>,
                                  .rule = ResultRule::Bool,
                                  .formula = "(x != 0) ^ (y != 0)",
                                  .formula_of_bools = "x ^ y"};
  return op;
}
const PointwiseOp& logical_not_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kNotKernels,
                                  .rule = ResultRule::Bool,
                                  .formula = "x == 0",
                                  .formula_of_bools = "!x"};
  return op;
}

}  // namespace opwright
