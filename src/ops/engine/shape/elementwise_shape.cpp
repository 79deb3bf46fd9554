#include "opwright/ops/engine/shape/elementwise_shape.h"

#include <algorithm>

#include "opwright/symbolic/shape_env/layout_questions.h"
#include "opwright/symbolic/shape_env/questions.h"
#include "opwright/tensor/dim_order.h"
#include "opwright/tensor/memory_format.h"

namespace opwright {
namespace {

template <class Int>
using List = SmallVector<Int, kInlineDims>;

template <class Int>
bool are_laid_equal(std::span<const Int> a, std::span<const Int> b) {
  return std::ranges::equal(a, b, [](const Int& x, const Int& y) { return is_laid_equal(x, y); });
}

template <class Int>
bool is_laid_in_format(const BasicLayout<Int>& input, std::span<const Int> sizes,
                       MemoryFormat format) {
  return are_laid_equal(input.sizes, sizes) && is_contiguous(sizes, input.strides, format);
}

template <class Int>
bool have_same_dense_layout(std::span<const Int> sizes, std::span<const BasicLayout<Int>> inputs) {
  const BasicLayout<Int>& first = inputs.front();
  const bool have_equal = std::ranges::all_of(inputs, [&](const BasicLayout<Int>& input) {
    return are_laid_equal(input.sizes, sizes) && are_laid_equal(input.strides, first.strides);
  });
  return have_equal && is_non_overlapping_and_dense(first.sizes, first.strides);
}

template <class Int>
List<Int> find_broadcast_strides(std::span<const Int> sizes, std::span<const Int> strides,
                                 std::span<const Int> broadcast) {
  List<Int> result(broadcast.size(), Int(0));
  const size_t added = broadcast.size() - sizes.size();
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool is_repeated =
        is_laid_equal(sizes[i], Int(1)) && !is_laid_equal(broadcast[added + i], Int(1));
    if (!is_repeated) result[added + i] = strides[i];
  }
  return result;
}

// The order given by the first input that determines one.
template <class Int>
int compare_by_inputs(size_t inner, size_t outer, std::span<const Int> sizes,
                      std::span<const List<Int>> strides) {
  for (const List<Int>& input : strides) {
    const int comparison = compare_dims<Int>(sizes, input, inner, outer);
    if (comparison != 0) return comparison;
  }
  return 0;
}

template <class Int>
List<Int> find_result_strides(std::span<const Int> sizes, std::span<const BasicLayout<Int>> inputs,
                              bool has_number) {
  const auto are_in_format = [&](MemoryFormat format) {
    return std::ranges::all_of(inputs, [&](const BasicLayout<Int>& input) {
      return is_laid_in_format(input, sizes, format);
    });
  };
  if (sizes.size() <= 1 || are_in_format(MemoryFormat::Contiguous)) {
    List<Int> contiguous = contiguous_strides(sizes);
    if (!has_number || sizes.size() <= 1 || are_laid_equal<Int>(inputs.front().strides, contiguous))
      return contiguous;
  }
  if (!has_number && are_in_format(MemoryFormat::ChannelsLast)) {
    return contiguous_strides(sizes, MemoryFormat::ChannelsLast);
  }
  if (!has_number && have_same_dense_layout(sizes, inputs))
    return List<Int>(inputs.front().strides);

  SmallVector<List<Int>, 3> strides;
  for (const BasicLayout<Int>& input : inputs) {
    strides.push_back(find_broadcast_strides(input.sizes, input.strides, sizes));
  }
  const auto order = order_dims(sizes.size(), [&](size_t inner, size_t outer) {
    return compare_by_inputs<Int>(inner, outer, sizes, strides);
  });
  List<Int> result(sizes.size());
  Int next = 1;
  for (const size_t dim : order) {
    result[dim] = next;
    next = next * at_least_one(sizes[dim]);
  }
  return result;
}

// Whether all inputs are contiguous whatever the symbols are: then so is the result, and no guard
// is added.
bool are_all_contiguous(std::span<const SymLayout> inputs) {
  return std::ranges::all_of(inputs, [](const SymLayout& input) {
    return std::ranges::equal(
        contiguous_strides(input.sizes), input.strides,
        [](const SymInt& a, const SymInt& b) { return a.word() == b.word(); });
  });
}

}  // namespace

Sizes broadcast_strides(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                        std::span<const int64_t> broadcast) {
  return find_broadcast_strides(sizes, strides, broadcast);
}

Sizes elementwise_strides(std::span<const int64_t> sizes, std::span<const OperandLayout> inputs,
                          bool has_number) {
  return find_result_strides(sizes, inputs, has_number);
}
SymSizes elementwise_strides(std::span<const SymInt> sizes, std::span<const SymLayout> inputs,
                             bool has_number) {
  if (are_all_contiguous(inputs)) return contiguous_strides(sizes);
  return find_result_strides(sizes, inputs, has_number);
}

}  // namespace opwright
