#include "opwright/ops/engine/pointwise/pointwise_result.h"

#include <algorithm>
#include <utility>

#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/shape/elementwise_shape.h"
#include "opwright/ops/engine/shape/in_place.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

std::span<const PointwiseOperand> promoted_operands(const PointwiseCall& call) {
  return std::span(call.operands).subspan(call.op->has_condition ? 1 : 0);
}

DType find_common_dtype(const PointwiseCall& call) {
  const auto operands = promoted_operands(call);
  if (const Tensor* first = operands.front().tensor) {
    const DType dtype = first->dtype();
    const bool are_alike = std::ranges::all_of(operands.subspan(1), [&](const auto& operand) {
      return operand.is_tensor() && operand.tensor->dtype() == dtype;
    });
    if (are_alike) return dtype;
  }
  Promotion promotion;
  for (const PointwiseOperand& operand : operands) {
    if (operand.is_tensor())
      promotion.add(*operand.tensor);
    else
      promotion.add(operand.number);
  }
  return promotion.result();
}

DType find_result_dtype(ResultRule rule, DType compute) {
  switch (rule) {
    case ResultRule::Bool:
      return DType::Bool;
    case ResultRule::Int32:
      return DType::Int32;
    case ResultRule::Real:
    case ResultRule::InexactReal:
      return real_dtype(compute);
    default:
      return compute;
  }
}

bool has_number(const PointwiseCall& call) {
  return call.has_hidden_number ||
         std::ranges::any_of(call.operands, [](const auto& each) { return !each.is_tensor(); });
}

// An operand is converted to the common dtype, and thus made dense, before its strides count.
bool is_converted(const PointwiseCall& call, size_t operand, DType common) {
  const bool takes_part = operand != 0 || !call.op->has_condition;
  return takes_part && call.operands[operand].tensor->dtype() != common;
}

}  // namespace

PointwiseTypes find_types(const PointwiseCall& call) {
  const PointwiseOp& op = *call.op;
  PointwiseTypes types{};
  types.common = find_common_dtype(call);
  if (op.check) op.check(call, types.common);
  const bool is_inexact = op.rule == ResultRule::Inexact || op.rule == ResultRule::InexactReal;
  types.compute = is_inexact ? inexact_dtype(types.common) : types.common;
  types.kernel = &(*op.kernels)[kernel_index(types.compute)];
  if (!types.kernel->by_level[0] || is_float8(types.compute)) [[unlikely]]
    throw_dtype(types.common, call.who, op.takes);
  types.result = find_result_dtype(op.rule, types.compute);
  return types;
}

Sizes find_sizes(const PointwiseCall& call) {
  Sizes sizes;
  for (const PointwiseOperand& operand : call.operands) {
    if (!operand.is_tensor()) continue;
    sizes = sizes.empty() ? Sizes(operand.tensor->sizes())
                          : broadcast_sizes(sizes, operand.tensor->sizes(), call.who);
  }
  return sizes;
}

SymSizes find_sym_sizes(const PointwiseCall& call) {
  SymSizes sizes;
  for (const PointwiseOperand& operand : call.operands) {
    if (!operand.is_tensor()) continue;
    SymSizes own = sym_geometry_of(*operand.tensor).sizes;
    sizes = sizes.empty() ? std::move(own) : broadcast_sizes(sizes, own, call.who);
  }
  return sizes;
}

Sizes find_strides(const PointwiseCall& call, std::span<const int64_t> sizes, DType common) {
  if (call.op->gives_contiguous) return contiguous_strides(sizes);
  SmallVector<Sizes, kMostInputs> strides;
  SmallVector<OperandLayout, kMostInputs> layouts;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    if (!call.operands[i].is_tensor()) continue;
    const Tensor& tensor = *call.operands[i].tensor;
    strides.push_back(
        is_converted(call, i, common)
            ? strides_for_format(tensor.sizes(), tensor.strides(), MemoryFormat::Preserve)
            : Sizes(tensor.strides()));
  }
  size_t next = 0;
  for (const PointwiseOperand& operand : call.operands) {
    if (operand.is_tensor()) layouts.push_back({operand.tensor->sizes(), strides[next++]});
  }
  return elementwise_strides(sizes, layouts, has_number(call));
}

SymSizes find_sym_strides(const PointwiseCall& call, const SymSizes& sizes, DType common) {
  if (call.op->gives_contiguous) return contiguous_strides(sizes);
  bool has_symbols = !as_plain(sizes);
  SmallVector<SymGeometry, kMostInputs> geometries;
  SmallVector<SymLayout, kMostInputs> layouts;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    if (!call.operands[i].is_tensor()) continue;
    SymGeometry geometry = sym_geometry_of(*call.operands[i].tensor);
    has_symbols |= !as_plain(geometry.strides) || !as_plain(geometry.sizes);
    if (is_converted(call, i, common))
      geometry.strides =
          strides_for_format(geometry.sizes, geometry.strides, MemoryFormat::Preserve);
    geometries.push_back(std::move(geometry));
  }
  if (!has_symbols) {
    const Sizes plain = find_strides(call, *as_plain(sizes), common);
    return SymSizes(plain.begin(), plain.end());
  }
  for (const SymGeometry& geometry : geometries)
    layouts.push_back({geometry.sizes, geometry.strides});
  return elementwise_strides(sizes, layouts, has_number(call));
}

void prepare_out(const PointwiseCall& call, const PointwiseTypes& types, const Tensor& out) {
  check_storable(call.who, types.result, out);
  const Sizes sizes = find_sizes(call);
  if (!std::ranges::equal(out.sizes(), sizes)) {
    OPWRIGHT_CHECK_VALUE(out.numel() == 0, call.who, ": out of sizes ", to_text(out.sizes()),
                         " cannot hold a result of sizes ", to_text(sizes),
                         "; pass a tensor of these sizes, or an empty one, which is resized");
    const Tensor fresh = make_empty_strided(sizes, find_strides(call, sizes, types.compute),
                                            out.dtype(), out.device());
    replace_contents(impl(out), impl(fresh));
  }
  check_writable(call.who, out);
}

}  // namespace opwright
