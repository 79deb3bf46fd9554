#include "opwright/ops/engine/pointwise/device_pointwise.h"

#include <string>

#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/device/device_primitive.h"
#include "opwright/ops/engine/pointwise/device_loop.h"
#include "opwright/ops/engine/pointwise/pointwise_formula.h"
#include "opwright/ops/engine/pointwise/pointwise_result.h"
#include "opwright/ops/engine/shape/dense_shape.h"
#include "opwright/ops/engine/shape/in_place.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

// The device of the call: only numbers may come from the CPU.
Device find_loop_device(const PointwiseCall& call) {
  for (const PointwiseOperand& operand : call.operands) {
    if (operand.is_tensor() && !is_on_cpu(*operand.tensor)) return operand.tensor->device();
  }
  return kCpu;
}

std::string dtypes_text(const PointwiseCall& call) {
  std::string text;
  for (const PointwiseOperand& operand : call.operands) {
    if (!operand.is_tensor()) continue;
    text += (text.empty() ? "" : ", ") + concatenate(operand.tensor->dtype());
  }
  return text;
}

// The shape of the common case, dense tensors of one shape and numbers. Null: another case.
const OpwDlTensor* find_dense_shape(const PointwiseCall& call) {
  const OpwDlTensor* shape = nullptr;
  for (const PointwiseOperand& operand : call.operands) {
    if (!operand.is_tensor()) continue;
    const OpwDlTensor& shown = operand.tensor->get()->dl;
    if (shown.ndim == 0) continue;
    if (!is_dense(shown) || (shape && !have_same_sizes(shown, *shape))) return nullptr;
    shape = &shown;
  }
  return shape;
}

// `is_dense`: all memory with dimensions is read from beginning to end.
void write_device_result(const PointwiseCall& call, const PointwiseTypes& types,
                         const Tensor& target, bool is_dense) {
  const auto elements = [&](const Tensor& tensor) {
    return is_dense ? row_of(tensor) : elements_of(tensor);
  };
  const PointwiseOp& op = *call.op;
  const char* formula = formula_text(op, types.compute);
  if (!formula)
    throw_no_device_kernel(
        call.who, target.device(),
        concatenate("since operands of ", dtypes_text(call), " have no formula"));
  const DType compute = kernel_dtype(types.compute);
  DeviceLoop loop(formula, compute);
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const PointwiseOperand& operand = call.operands[i];
    const bool is_condition = i == 0 && op.has_condition;
    const DType through = is_condition ? DType::Bool : compute;
    if (!operand.is_tensor() || is_on_cpu(*operand.tensor)) {
      const Scalar number = operand.is_tensor() ? operand.tensor->item() : operand.number;
      loop.add_operand(is_condition ? number_in_formula(number, DType::Bool)
                                    : operand_in_formula(op, number, types.compute),
                       through);
      continue;
    }
    const Tensor& tensor = *operand.tensor;
    const bool is_rounded = !is_condition && is_half(types.compute) &&
                            tensor.dtype() != types.compute &&
                            !keeps_wide(op, tensor, types.compute);
    loop.add_operand(elements(tensor), is_rounded ? types.compute : through);
  }
  for (const Scalar& number : call.numbers)
    loop.add_number(number_in_formula(number, types.compute));
  loop.write(call.who, target.device(), elements(target));
}

void write_target(const PointwiseCall& call, const PointwiseTypes& types, const Tensor& target) {
  const OpwDlTensor* shape = find_dense_shape(call);
  const OpwDlTensor& shown = target.get()->dl;
  write_device_result(call, types, target,
                      shape && is_dense(shown) && have_same_sizes(shown, *shape));
}

}  // namespace

Tensor compute_pointwise_on_device(const PointwiseCall& call) {
  const PointwiseTypes types = find_types(call);
  const Device device = find_loop_device(call);
  if (const OpwDlTensor* shape = find_dense_shape(call)) {
    Tensor output =
        make_empty({shape->shape, static_cast<size_t>(shape->ndim)}, types.result, device);
    write_device_result(call, types, output, true);
    return output;
  }
  const Sizes sizes = find_sizes(call);
  Tensor output =
      make_empty_strided(sizes, find_strides(call, sizes, types.compute), types.result, device);
  write_device_result(call, types, output, false);
  return output;
}

void compute_pointwise_in_place_on_device(const PointwiseCall& call, const Tensor& self) {
  for (const PointwiseOperand& operand : call.operands) {
    if (operand.is_tensor()) check_expands(call.who, "other", *operand.tensor, self);
  }
  const PointwiseTypes types = find_types(call);
  check_storable(call.who, types.result, self);
  check_writable(call.who, self);
  write_target(call, types, self);
}

void compute_pointwise_out_on_device(const PointwiseCall& call, const Tensor& out) {
  const PointwiseTypes types = find_types(call);
  prepare_out(call, types, out);
  write_target(call, types, out);
}

}  // namespace opwright
