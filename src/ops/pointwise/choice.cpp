// where, clamp, hardtanh, maximum, minimum: select one of the operands per element.
#include "opwright/error.h"
#include "opwright/ops/engine/pointwise/kernel.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/value.h"

namespace opwright {
namespace {

template <class T>
struct Where {
  static constexpr bool kHasCondition = true;
  static constexpr bool kIsBitwise = true;
  OPWRIGHT_INLINE T operator()(uint8_t condition, T x, T y) const {
    if constexpr (kIsComplex<T>) {
      return condition != 0 ? x : y;
    } else {  // branch-free: a branch would be mispredicted half of the time
      const T mask = static_cast<T>(T(0) - static_cast<T>(condition));
      return static_cast<T>((x & mask) | (y & static_cast<T>(~mask)));
    }
  }
};

// NaN wins.
template <class T>
OPWRIGHT_INLINE T larger(T x, T y) {
  const T result = x > y ? x : y;  // y if one is NaN
  return x == x ? result : x;
}
template <class T>
OPWRIGHT_INLINE T smaller(T x, T y) {
  const T result = x < y ? x : y;
  return x == x ? result : x;
}
template <class T>
struct Maximum {
  OPWRIGHT_INLINE T operator()(T x, T y) const { return larger(x, y); }
};
template <class T>
struct Minimum {
  OPWRIGHT_INLINE T operator()(T x, T y) const { return smaller(x, y); }
};
template <class T>
struct Clamp {
  OPWRIGHT_INLINE T operator()(T x, T low, T high) const { return smaller(larger(x, low), high); }
};

constexpr PointwiseOp kMaximum{.arity = 2,
                               .kernels = &kKernels<Maximum, OrderedTypes>,
                               .takes = "real dtypes",
                               .formula = "maximum(x, y)",
                               .formula_of_bools = "x | y"};
constexpr PointwiseOp kMinimum{.arity = 2,
                               .kernels = &kKernels<Minimum, OrderedTypes>,
                               .takes = "real dtypes",
                               .formula = "minimum(x, y)",
                               .formula_of_bools = "x & y"};
constexpr PointwiseOp kClampLow{.arity = 2,
                                .kernels = &kKernels<Maximum, RealTypes>,
                                .takes = "real dtypes but bool",
                                .formula = "maximum(x, y)",
                                .formula_of_bools = "x | y"};
constexpr PointwiseOp kClampHigh{.arity = 2,
                                 .kernels = &kKernels<Minimum, RealTypes>,
                                 .takes = "real dtypes but bool",
                                 .formula = "minimum(x, y)",
                                 .formula_of_bools = "x & y"};
constexpr PointwiseOp kClampBoth{.arity = 3,
                                 .kernels = &kKernels<Clamp, RealTypes>,
                                 .takes = "real dtypes but bool",
                                 .formula = "minimum(maximum(x, y), z)"};

void add_bound(PointwiseCall& call, const OpwValue& value) {
  if (value.tag == kOpwTensor)
    call.operands.push_back({.tensor = &borrow_tensor(value)});
  else if (value.tag != kOpwNone)
    call.operands.push_back({.number = ValueOf<Scalar>::read(value)});
}

// The bounds are operands: they participate in promotion and broadcasting.
void choose_clamp(PointwiseCall& call) {
  add_bound(call, call.others[0]);
  const bool has_low = call.operands.size() == 2;
  add_bound(call, call.others[1]);
  OPWRIGHT_CHECK(call.operands.size() > 1, call.who, ": at least one of min and max must be given");
  if (call.operands.size() == 3)
    call.op = &kClampBoth;
  else if (call.operands[1].is_tensor())
    call.op = has_low ? &kMaximum : &kMinimum;
  else
    call.op = has_low ? &kClampLow : &kClampHigh;
}

// The limits are numbers in the dtype of self.
void choose_hardtanh(PointwiseCall& call) {
  const DType dtype = call.operands[0].tensor->dtype();
  OPWRIGHT_CHECK(dtype != DType::Bool, call.who, ": a bool tensor has no limits");
  OPWRIGHT_CHECK(dtype_code(dtype) != kOpwDtypeUInt || call.numbers[0].to<double>() >= 0, call.who,
                 ": min_val must not be negative for tensors of ", dtype, ", got ",
                 call.numbers[0]);
  for (const Scalar& limit : call.numbers)
    call.operands.push_back({.number = is_integral(dtype) ? Scalar(limit.to<int64_t>()) : limit});
  call.op = &kClampBoth;
}

void check_condition(const PointwiseCall& call, DType /*common*/) {
  OPWRIGHT_CHECK(call.operands[0].is_bool(), call.who, ": condition must be a bool tensor, got ",
                 *call.operands[0].tensor);
}

}  // namespace

const PointwiseOp& where_op() {
  static constexpr PointwiseOp op{.arity = 3,
                                  .kernels = &kKernels<Where, AllTypes>,
                                  .has_condition = true,
                                  .check = &check_condition,
                                  .formula = "x ? y : z"};
  return op;
}

const PointwiseOp& clamp_op() {
  static constexpr PointwiseOp op{.arity = 1, .prepare = &choose_clamp};
  return op;
}

const PointwiseOp& hardtanh_op() {
  static constexpr PointwiseOp op{.arity = 1, .prepare = &choose_hardtanh};
  return op;
}

const PointwiseOp& maximum_op() { return kMaximum; }
const PointwiseOp& minimum_op() { return kMinimum; }

}  // namespace opwright
