// cat and stack: join several tensors.
#include "opwright/ops/join/join.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// Tensors of sizes [0] are compatible with any others, as in PyTorch.
bool is_skipped(const Tensor& tensor) {
  return tensor.dim() == 1 && guard_or_false(tensor.sym_size(0) == 0);
}

// The tensors with elements, all with the same number of dimensions.
std::vector<Tensor> joined_tensors(std::span<const Tensor> tensors) {
  std::vector<Tensor> joined;
  for (size_t i = 0; i < tensors.size(); ++i) {
    OPWRIGHT_CHECK(tensors[i].dim() > 0, "cat: tensor ", i,
                   " has zero dimensions; stack joins such tensors");
    if (is_skipped(tensors[i])) continue;
    OPWRIGHT_CHECK(joined.empty() || joined.front().dim() == tensors[i].dim(),
                   "cat: all tensors must have the same number of dimensions, tensor ", i, " is ",
                   tensors[i], " after ", joined.empty() ? tensors[i] : joined.front());
    joined.push_back(tensors[i]);
  }
  return joined;
}

// The sizes of the result: those of the first tensor, with the sum along `dim`.
SymSizes joined_sizes(const std::vector<Tensor>& tensors, size_t dim) {
  SymSizes sizes = sym_geometry_of(tensors.front()).sizes;
  for (size_t k = 1; k < tensors.size(); ++k) {
    const SymSizes other = sym_geometry_of(tensors[k]).sizes;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (i == dim) continue;
      if (sizes[i].word() == other[i].word()) continue;
      check(sizes[i] == other[i],
            "cat: sizes must be equal but in dimension " + std::to_string(dim) + ", got " +
                to_text(sym_geometry_of(tensors.front()).sizes) + " and " + to_text(other));
    }
    sizes[dim] = sizes[dim] + other[dim];
  }
  return sizes;
}

// The common memory format of all tensors, or contiguous.
MemoryFormat common_format(const std::vector<Tensor>& tensors) {
  const MemoryFormat format = suggest_memory_format(tensors.front());
  const bool is_common = std::all_of(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
    return suggest_memory_format(tensor) == format;
  });
  return is_common ? format : MemoryFormat::Contiguous;
}

}  // namespace

Tensor cat_all_devices(std::span<const Tensor> tensors, int64_t dim) {
  OPWRIGHT_CHECK_VALUE(!tensors.empty(), "cat: there must be at least one tensor");
  Promotion promotion;
  for (const Tensor& tensor : tensors) promotion.add(tensor);
  const std::vector<Tensor> joined = joined_tensors(tensors);
  if (joined.empty()) return tensors.front().new_empty({0}, promotion.result());
  const size_t along = wrap_dim(dim, static_cast<size_t>(joined.front().dim()), "cat");
  const SymSizes sizes = joined_sizes(joined, along);
  Tensor result = empty(sizes, promotion.result(), std::nullopt, joined.front().device(),
                        std::nullopt, common_format(joined));
  SymInt start = 0;
  for (const Tensor& tensor : joined) {
    const SymInt end = start + tensor.sym_size(static_cast<int64_t>(along));
    slice(result, static_cast<int64_t>(along), start, end).copy_(tensor);
    start = end;
  }
  return result;
}

Tensor stack_all_devices(std::span<const Tensor> tensors, int64_t dim) {
  OPWRIGHT_CHECK_VALUE(!tensors.empty(), "stack: there must be at least one tensor");
  const SymSizes sizes = sym_geometry_of(tensors.front()).sizes;
  const size_t along = wrap_dim(dim, sizes.size() + 1, "stack");
  std::vector<Tensor> rows;
  rows.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    const SymSizes other = sym_geometry_of(tensor).sizes;
    const auto problem = [&] {
      return concatenate("stack: all tensors must have the same sizes, got ", to_text(sizes),
                         " and ", to_text(other));
    };
    OPWRIGHT_CHECK_VALUE(other.size() == sizes.size(), problem());
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i].word() != other[i].word()) check(sizes[i] == other[i], problem());
    }
    rows.push_back(tensor.unsqueeze(static_cast<int64_t>(along)));
  }
  return cat(rows, static_cast<int64_t>(along));
}

}  // namespace opwright
