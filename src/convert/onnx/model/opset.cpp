#include "opwright/convert/onnx/model/opset.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/error.h"
#include "opwright/runtime/onnx.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symint.h"

namespace opwright::onnx {
namespace {

std::vector<int64_t> to_vector(std::span<const int64_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

OnnxValue with_axes(GraphBuilder& g, std::string_view type, OnnxValue x,
                    std::span<const int64_t> axes) {
  if (g.opset() >= 13) return g.op(type, {x, g.ints(axes)});
  return g.op(type, {x}, {{"axes", to_vector(axes)}});
}

bool may_be_zero(const SymInt& size) {
  return size.is_symbolic() && made_range(size.word()).least <= 0;
}

// For sizes with a constant 0 at `zero`.
OnnxValue reshape_nothing(GraphBuilder& g, OnnxValue x, std::span<const SymInt> sizes,
                          std::ptrdiff_t zero) {
  if (g.opset() >= 14) return g.op("Reshape", {x, g.sizes(sizes)}, {{"allowzero", true}});
  std::vector<int64_t> ones(sizes.size(), 1);
  ones[static_cast<size_t>(zero)] = -1;
  return expand(g, g.op("Reshape", {x, g.ints(ones)}), sizes);
}

OnnxValue reshape_node(GraphBuilder& g, OnnxValue x, std::span<const SymInt> sizes) {
  std::vector<SymInt> wanted(sizes.begin(), sizes.end());
  // A constant 0 means "unchanged" unless the node says otherwise.
  const auto zero =
      std::ranges::find_if(wanted, [](const SymInt& size) { return is_exactly(size, 0); });
  if (zero != wanted.end()) return reshape_nothing(g, x, sizes, zero - wanted.begin());
  const auto is_computed = [](const SymInt& size) { return size.is_symbolic(); };
  if (std::ranges::count_if(wanted, is_computed) > 1) {
    if (std::ranges::any_of(wanted, may_be_zero)) {
      std::vector<Attribute> attributes;
      if (g.opset() >= 14) attributes.emplace_back("allowzero", true);
      return g.op("Reshape", {x, g.sizes(wanted)}, std::move(attributes));
    }
    const std::optional<std::vector<SymInt>> had = g.shape(x);
    for (size_t i = 0; had && i < std::min(had->size(), wanted.size()); ++i) {
      if (is_computed(wanted[i]) && wanted[i].word() == (*had)[i].word()) wanted[i] = SymInt(0);
    }
  }
  // A single computed size can be -1, which the node infers.
  if (std::ranges::count_if(wanted, is_computed) == 1)
    *std::ranges::find_if(wanted, is_computed) = SymInt(-1);
  return g.op("Reshape", {x, g.sizes(wanted)});
}

// Sets the dtype of a result to that of `x`.
OnnxValue typed(GraphBuilder& g, OnnxValue made, OnnxValue x, std::span<const SymInt> sizes) {
  if (const auto dtype = g.dtype(x)) g.set_type(made, *dtype, {sizes.begin(), sizes.end()});
  return made;
}

}  // namespace

OnnxValue unsqueeze(GraphBuilder& g, OnnxValue x, std::span<const int64_t> axes) {
  return with_axes(g, "Unsqueeze", x, axes);
}

OnnxValue squeeze(GraphBuilder& g, OnnxValue x, std::span<const int64_t> axes) {
  return axes.empty() ? x : with_axes(g, "Squeeze", x, axes);
}

OnnxValue reduce(GraphBuilder& g, std::string_view type, OnnxValue x, std::span<const int64_t> axes,
                 bool keeps_dims) {
  std::vector<Attribute> attributes{{"keepdims", keeps_dims}};
  if (axes.empty()) return g.op(type, {x}, std::move(attributes));
  if (g.opset() >= (type == "ReduceSum" ? 13 : 18))
    return g.op(type, {x, g.ints(axes)}, std::move(attributes));
  attributes.emplace_back("axes", to_vector(axes));
  return g.op(type, {x}, std::move(attributes));
}

OnnxValue reshape(GraphBuilder& g, OnnxValue x, std::span<const SymInt> sizes) {
  return typed(g, reshape_node(g, x, sizes), x, sizes);
}

OnnxValue expand(GraphBuilder& g, OnnxValue x, std::span<const SymInt> sizes) {
  return typed(g, g.op("Expand", {x, g.sizes(sizes)}), x, sizes);
}

OnnxValue transpose(GraphBuilder& g, OnnxValue x, std::span<const int64_t> order) {
  return std::ranges::is_sorted(order) ? x : g.op("Transpose", {x}, {{"perm", to_vector(order)}});
}

OnnxValue slice(GraphBuilder& g, OnnxValue x, int64_t dim, const SymInt& start, const SymInt& end,
                int64_t step) {
  const SymInt starts[] = {start};
  const SymInt ends[] = {end};
  const OnnxValue part =
      g.op("Slice", {x, g.sizes(starts), g.sizes(ends), g.ints({dim}), g.ints({step})});
  auto sizes = g.shape(x);
  if (!sizes) return part;
  SymInt& size = (*sizes)[static_cast<size_t>(dim)];
  const bool is_plain = !start.is_symbolic() && !end.is_symbolic() && !size.is_symbolic();
  if (!is_plain || start.word() < 0 || end.word() < start.word() || step < 1) return part;
  const int64_t covered = std::min(end.word(), size.word()) - std::min(start.word(), size.word());
  size = SymInt((covered + step - 1) / step);
  return typed(g, part, x, *sizes);
}

OnnxValues split(GraphBuilder& g, OnnxValue x, int64_t dim, std::span<const int64_t> lengths) {
  if (g.opset() >= 13) return g.op("Split", {x, g.ints(lengths)}, {{"axis", dim}}, lengths.size());
  return g.op("Split", {x}, {{"axis", dim}, {"split", to_vector(lengths)}}, lengths.size());
}

OnnxValue softmax(GraphBuilder& g, std::string_view type, OnnxValue x, int64_t dim, int64_t rank) {
  if (g.opset() >= 13 || dim == rank - 1 || rank == 0) return g.op(type, {x}, {{"axis", dim}});
  std::vector<int64_t> order;
  for (int64_t i = 0; i < rank; ++i) order.push_back(i);
  std::swap(order[static_cast<size_t>(dim)], order.back());
  const OnnxValue last = g.op(type, {transpose(g, x, order)}, {{"axis", rank - 1}});
  return transpose(g, last, order);
}

int64_t wrap_dim(int64_t dim, int64_t rank) {
  const int64_t least = rank == 0 ? 1 : rank;
  OPWRIGHT_CHECK_INDEX(dim >= -least && dim < least, "dimension ", dim, " of a tensor of ", rank,
                       " dimensions");
  return dim < 0 ? dim + least : dim;
}

}  // namespace opwright::onnx
