#include "opwright/ops/engine/pointwise/pointwise_fake.h"

#include <algorithm>

#include "opwright/error.h"
#include "opwright/ops/engine/pointwise/pointwise_result.h"
#include "opwright/ops/engine/shape/in_place.h"
#include "opwright/symbolic/shape_env/questions.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// The device of the tensors with dimensions, if there is one: a number may come from the CPU.
Device find_device(const PointwiseCall& call) {
  const Tensor* chosen = nullptr;
  for (const PointwiseOperand& operand : call.operands) {
    if (operand.is_tensor() && (!chosen || (chosen->dim() == 0 && operand.tensor->dim() > 0)))
      chosen = operand.tensor;
  }
  return chosen->device();
}

// Whether a size is known to be 0: such an `out` gets the sizes of the result.
bool is_empty(const SymSizes& sizes) {
  return std::ranges::any_of(sizes, [](const SymInt& size) { return is_plain_int(size, 0); });
}

bool have_equal_words(const SymSizes& sizes, const SymSizes& others) {
  return std::ranges::equal(sizes, others, {}, &SymInt::word, &SymInt::word);
}

}  // namespace

Tensor fake_pointwise(const PointwiseCall& call) {
  const PointwiseTypes types = find_types(call);
  const SymSizes sizes = find_sym_sizes(call);
  return make_fake(sizes, find_sym_strides(call, sizes, types.compute), 0, types.result,
                   find_device(call));
}

void fake_pointwise_in_place(const PointwiseCall& call, const Tensor& self) {
  const SymSizes sizes = sym_geometry_of(self).sizes;
  for (const PointwiseOperand& operand : call.operands) {
    if (operand.is_tensor())
      (void)expand_geometry<SymInt>(sym_geometry_of(*operand.tensor), sizes, call.who);
  }
  check_storable(call.who, find_types(call).result, self);
}

void fake_pointwise_out(const PointwiseCall& call, const Tensor& out) {
  const PointwiseTypes types = find_types(call);
  check_storable(call.who, types.result, out);
  const SymSizes sizes = find_sym_sizes(call);
  const SymSizes given = sym_geometry_of(out).sizes;
  if (is_empty(given) && !have_equal_words(given, sizes)) {
    const Tensor fresh = make_fake(sizes, find_sym_strides(call, sizes, types.compute), 0,
                                   out.dtype(), out.device());
    replace_contents(impl(out), impl(fresh));
    return;
  }
  OPWRIGHT_CHECK_VALUE(given.size() == sizes.size(), call.who, ": out of sizes ", to_text(given),
                       " cannot hold a result of sizes ", to_text(sizes));
  (void)expand_geometry<SymInt>(sym_geometry_of(out), sizes, call.who);
}

}  // namespace opwright
