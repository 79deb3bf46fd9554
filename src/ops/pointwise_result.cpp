#include "opwright/ops/pointwise_result.h"

#include <algorithm>

#include "opwright/for_dtype.h"
#include "opwright/ops/elementwise_shape.h"
#include "opwright/ops/promotion.h"
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

std::span<const PointwiseOperand> promoted_operands(const PointwiseCall& call) {
  return std::span(call.operands).subspan(call.op->has_condition ? 1 : 0);
}

DType find_common_dtype(const PointwiseCall& call) {
  const auto operands = promoted_operands(call);
  const PointwiseOperand& first = operands.front();
  const bool are_alike = std::ranges::all_of(operands, [&](const PointwiseOperand& operand) {
    return operand.is_tensor() && first.is_tensor() &&
           operand.tensor->dtype() == first.tensor->dtype();
  });
  if (are_alike) return first.tensor->dtype();
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
  if (rule == ResultRule::Bool) return DType::Bool;
  return rule == ResultRule::Real ? real_dtype(compute) : compute;
}

bool is_float8(DType dtype) { return is_floating(dtype) && dtype_bits(dtype) == 8; }

bool has_number(const PointwiseCall& call) {
  return std::ranges::any_of(call.operands, [](const auto& each) { return !each.is_tensor(); });
}

// An operand is converted to the common dtype before its strides count, and then it is dense.
Sizes strides_when_converted(const Tensor& tensor, DType common, bool takes_part) {
  if (!takes_part || tensor.dtype() == common) return Sizes(tensor.strides());
  return strides_for_format(tensor.sizes(), tensor.strides(), MemoryFormat::Preserve);
}

}  // namespace

PointwiseTypes find_types(const PointwiseCall& call) {
  const PointwiseOp& op = *call.op;
  PointwiseTypes types{};
  types.common = find_common_dtype(call);
  if (op.check) op.check(call, types.common);
  types.compute = op.rule == ResultRule::Inexact ? inexact_dtype(types.common) : types.common;
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
    strides.push_back(strides_when_converted(tensor, common, i != 0 || !call.op->has_condition));
  }
  size_t next = 0;
  for (const PointwiseOperand& operand : call.operands) {
    if (operand.is_tensor()) layouts.push_back({operand.tensor->sizes(), strides[next++]});
  }
  return elementwise_strides(sizes, layouts, has_number(call));
}

SymSizes find_sym_strides(const PointwiseCall& call, const SymSizes& sizes, DType common) {
  bool has_symbols = !as_plain(sizes);
  const SymGeometry* first = nullptr;
  SmallVector<SymGeometry, kMostInputs> geometries;
  for (const PointwiseOperand& operand : call.operands) {
    if (!operand.is_tensor()) continue;
    geometries.push_back(sym_geometry_of(*operand.tensor));
    has_symbols |= !as_plain(geometries.back().strides);
  }
  if (call.op->gives_contiguous) return contiguous_strides(sizes);
  if (!has_symbols) {
    SymSizes result;
    for (const int64_t stride : find_strides(call, *as_plain(sizes), common))
      result.push_back(stride);
    return result;
  }
  const auto have_same_words = [](const SymSizes& a, const SymSizes& b) {
    return std::ranges::equal(
        a, b, [](const SymInt& x, const SymInt& y) { return x.word() == y.word(); });
  };
  for (const SymGeometry& geometry : geometries) {
    if (!have_same_words(geometry.sizes, sizes)) continue;
    if (first && !have_same_words(first->strides, geometry.strides))
      return contiguous_strides(sizes);
    first = &geometry;
  }
  return first ? first->strides : contiguous_strides(sizes);
}

}  // namespace opwright
