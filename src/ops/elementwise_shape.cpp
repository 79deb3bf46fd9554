#include "opwright/ops/elementwise_shape.h"

#include <algorithm>

#include "opwright/tensor/dim_order.h"
#include "opwright/tensor/memory_format.h"

namespace opwright {
namespace {

bool is_in_format(const OperandLayout& input, std::span<const int64_t> sizes, MemoryFormat format) {
  return std::ranges::equal(input.sizes, sizes) && is_contiguous(sizes, input.strides, format);
}

bool have_same_dense_layout(std::span<const int64_t> sizes, std::span<const OperandLayout> inputs) {
  const OperandLayout& first = inputs.front();
  const bool are_equal = std::ranges::all_of(inputs, [&](const OperandLayout& input) {
    return std::ranges::equal(input.sizes, sizes) &&
           std::ranges::equal(input.strides, first.strides);
  });
  return are_equal && is_non_overlapping_and_dense(first.sizes, first.strides);
}

// Whether `inner` belongs further out than `outer`: above 0 yes, below 0 no, 0 no input tells.
int compare_dims(size_t inner, size_t outer, std::span<const int64_t> sizes,
                 std::span<const Sizes> strides) {
  for (const Sizes& input : strides) {
    if (input[inner] == 0 || input[outer] == 0) continue;
    if (input[inner] != input[outer]) return input[inner] < input[outer] ? -1 : 1;
    if (sizes[inner] > sizes[outer]) return 1;
  }
  return 0;
}

}  // namespace

Sizes broadcast_strides(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                        std::span<const int64_t> broadcast) {
  Sizes result(broadcast.size(), 0);
  const size_t added = broadcast.size() - sizes.size();
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != 1 || broadcast[added + i] == 1) result[added + i] = strides[i];
  }
  return result;
}

Sizes elementwise_strides(std::span<const int64_t> sizes, std::span<const OperandLayout> inputs,
                          bool has_number) {
  const auto are_in_format = [&](MemoryFormat format) {
    return std::ranges::all_of(
        inputs, [&](const OperandLayout& input) { return is_in_format(input, sizes, format); });
  };
  if (sizes.size() <= 1 || are_in_format(MemoryFormat::Contiguous)) {
    Sizes contiguous = contiguous_strides(sizes);
    const bool is_exact = std::ranges::equal(inputs.front().strides, contiguous);
    if (!has_number || is_exact || sizes.size() <= 1) return contiguous;
  }
  if (!has_number && are_in_format(MemoryFormat::ChannelsLast)) {
    return contiguous_strides(sizes, MemoryFormat::ChannelsLast);
  }
  if (!has_number && have_same_dense_layout(sizes, inputs)) return Sizes(inputs.front().strides);

  SmallVector<Sizes, 3> strides;
  for (const OperandLayout& input : inputs) {
    strides.push_back(broadcast_strides(input.sizes, input.strides, sizes));
  }
  const auto order = order_dims(sizes.size(), [&](size_t inner, size_t outer) {
    return compare_dims(inner, outer, sizes, strides);
  });
  Sizes result(sizes.size());
  int64_t next = 1;
  for (const size_t dim : order) {
    result[dim] = next;
    next *= std::max<int64_t>(sizes[dim], 1);
  }
  return result;
}

}  // namespace opwright
