// where, clamp, maximum, minimum: one of the operands for each element.
#include "opwright/error.h"
#include "opwright/ops/cpu/kernel.h"
#include "opwright/ops/pointwise.h"
#include "opwright/value.h"

namespace opwright {
namespace {

template <class T>
struct Where {
  static constexpr bool kHasCondition = true;
  OPWRIGHT_INLINE T operator()(bool condition, T x, T y) const { return condition ? x : y; }
};

// What is no number wins.
template <class T>
OPWRIGHT_INLINE T larger(T x, T y) {
  const T result = x > y ? x : y;  // y, where one is no number
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

constexpr PointwiseOp kClampLow{
    .arity = 2, .kernels = &kKernels<Maximum, RealTypes>, .takes = "real dtypes but bool"};
constexpr PointwiseOp kClampHigh{
    .arity = 2, .kernels = &kKernels<Minimum, RealTypes>, .takes = "real dtypes but bool"};
constexpr PointwiseOp kClampBoth{
    .arity = 3, .kernels = &kKernels<Clamp, RealTypes>, .takes = "real dtypes but bool"};

void add_bound(PointwiseCall& call, const OpwValue& value) {
  if (value.tag == kOpwTensor)
    call.operands.push_back({.tensor = &borrow_tensor(value)});
  else if (value.tag != kOpwNone)
    call.operands.push_back({.number = ValueOf<Scalar>::read(value)});
}

// The bounds are operands: they take part in promotion and broadcasting.
void choose_clamp(PointwiseCall& call) {
  add_bound(call, call.others[0]);
  const bool has_low = call.operands.size() == 2;
  add_bound(call, call.others[1]);
  OPWRIGHT_CHECK(call.operands.size() > 1, call.who, ": at least one of min and max must be given");
  call.op = call.operands.size() == 3 ? &kClampBoth : has_low ? &kClampLow : &kClampHigh;
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
                                  .check = &check_condition};
  return op;
}

const PointwiseOp& clamp_op() {
  static constexpr PointwiseOp op{.arity = 1, .prepare = &choose_clamp};
  return op;
}

const PointwiseOp& maximum_op() {
  static constexpr PointwiseOp op{
      .arity = 2, .kernels = &kKernels<Maximum, OrderedTypes>, .takes = "real dtypes"};
  return op;
}
const PointwiseOp& minimum_op() {
  static constexpr PointwiseOp op{
      .arity = 2, .kernels = &kKernels<Minimum, OrderedTypes>, .takes = "real dtypes"};
  return op;
}

}  // namespace opwright
