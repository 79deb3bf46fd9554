#include "opwright/compile/fuse/index_view.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "opwright/compile/fuse/known_geometry.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

bool is_shown(const Tensor& tensor, int64_t dim) {
  return !is_same(tensor.sym_size(dim), 1) && !is_same(tensor.sym_stride(dim), 0);
}

// Maps each dimension of the view to one of its base; nullopt if it shows only a part, or in
// another way.
std::optional<DimMap> match(const Tensor& view, const Tensor& base) {
  if (view.dtype() != base.dtype() || !is_same(offset_of(view), offset_of(base)))
    return std::nullopt;
  DimMap dims(static_cast<size_t>(view.dim()), kNoDim);
  std::vector<bool> is_met(static_cast<size_t>(base.dim()), false);
  for (int64_t i = 0; i < view.dim(); ++i) {
    if (!is_shown(view, i)) continue;
    int64_t j = 0;
    while (j < base.dim() &&
           !(is_same(view.sym_size(i), base.sym_size(j)) &&
             is_same(view.sym_stride(i), base.sym_stride(j)) && !is_met[static_cast<size_t>(j)])) {
      ++j;
    }
    if (j == base.dim()) return std::nullopt;
    is_met[static_cast<size_t>(j)] = true;
    dims[static_cast<size_t>(i)] = static_cast<int32_t>(j);
  }
  for (int64_t j = 0; j < base.dim(); ++j) {
    if (is_shown(base, j) && !is_met[static_cast<size_t>(j)]) return std::nullopt;
  }
  return dims;
}

// The tensor that the node views, or null.
GraphValue* viewed_value(const Node& node) {
  if (node.kind() != NodeKind::Call || !node.op().gives_views() || node.op().writes_arguments() ||
      node.values().size() != 1 || node.args().empty())
    return nullptr;
  const NodeArgument& first = node.args()[0];
  return first.kind() == NodeArgument::Kind::Value ? &first.value() : nullptr;
}

}  // namespace

IndexView look_through(GraphValue& value) {
  const Tensor own = value.tensor();
  DimMap dims(static_cast<size_t>(own.dim()));
  for (int64_t i = 0; i < own.dim(); ++i) {
    dims[static_cast<size_t>(i)] = is_shown(own, i) ? static_cast<int32_t>(i) : kNoDim;
  }
  IndexView found{.root = &value, .dims = std::move(dims)};
  while (GraphValue* base = viewed_value(found.root->node())) {
    const Tensor shown = base->tensor();
    if (!shown.is_defined()) break;
    const std::optional<DimMap> step = match(found.root->tensor(), shown);
    if (!step) break;
    for (int32_t& dim : found.dims) {
      if (dim != kNoDim) dim = (*step)[static_cast<size_t>(dim)];
    }
    found.root = base;
  }
  return found;
}

}  // namespace opwright
