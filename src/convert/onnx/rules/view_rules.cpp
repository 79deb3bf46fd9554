// Views: the same elements in other dimensions, or a part of them.
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "opwright/convert/onnx/model/axis_nodes.h"
#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/rules/rules.h"

namespace opwright::onnx {
namespace {

OnnxValues convert_identity(GraphBuilder&, const Call& call) { return {call.input(0)}; }

OnnxValues convert_reshape(GraphBuilder& g, const Call& call) {
  return {reshape(g, call.input(0), sym_sizes_of(call.result()))};
}

OnnxValues convert_flatten(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const int64_t last = self.dim() - 1;
  if (last < 1 || dim_of(call, 1, self) != 1 || dim_of(call, 2, self) != last)
    return convert_reshape(g, call);
  return {g.op("Flatten", {call.input(0)}, {{"axis", 1}})};
}

// ---- Order of the dimensions ----

OnnxValues convert_transpose(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  if (self.dim() == 0) return {call.input(0)};
  std::vector<int64_t> order = all_dims(self.dim());
  std::swap(order[static_cast<size_t>(dim_of(call, 1, self))],
            order[static_cast<size_t>(dim_of(call, 2, self))]);
  return {transpose(g, call.input(0), order)};
}

OnnxValues convert_t(GraphBuilder& g, const Call& call) {
  if (call.tensor(0).dim() < 2) return {call.input(0)};
  const int64_t order[] = {1, 0};
  return {transpose(g, call.input(0), order)};
}

OnnxValues convert_permute(GraphBuilder& g, const Call& call) {
  std::vector<int64_t> order = call.integers(1);
  for (int64_t& dim : order) dim = wrap_dim(dim, static_cast<int64_t>(order.size()));
  return {order.empty() ? call.input(0) : transpose(g, call.input(0), order)};
}

OnnxValue move_dims(GraphBuilder& g, const Call& call, std::span<const int64_t> sources,
                    std::span<const int64_t> destinations) {
  const int64_t rank = call.tensor(0).dim();
  if (rank == 0) return call.input(0);
  std::vector<int64_t> order(static_cast<size_t>(rank), -1);
  std::vector<int64_t> others = all_dims(rank);
  for (size_t i = 0; i < sources.size(); ++i) {
    const int64_t source = wrap_dim(sources[i], rank);
    order[static_cast<size_t>(wrap_dim(destinations[i], rank))] = source;
    std::erase(others, source);
  }
  auto other = others.begin();
  for (int64_t& dim : order) {
    if (dim < 0) dim = *other++;
  }
  return transpose(g, call.input(0), order);
}

OnnxValues convert_movedim_list(GraphBuilder& g, const Call& call) {
  return {move_dims(g, call, call.integers(1), call.integers(2))};
}
OnnxValues convert_movedim(GraphBuilder& g, const Call& call) {
  const int64_t source[] = {call.integer(1)};
  const int64_t destination[] = {call.integer(2)};
  return {move_dims(g, call, source, destination)};
}

// ---- Dimensions of size 1 ----

// Without those of `dims` that have size 1; a dynamic size is not 1, or the trace would have fixed
// it.
OnnxValue squeeze_ones(GraphBuilder& g, const Call& call, std::span<const int64_t> dims) {
  const Tensor self = call.tensor(0);
  std::vector<int64_t> ones;
  for (const int64_t dim : dims) {
    if (self.dim() == 0) break;
    const int64_t wrapped = wrap_dim(dim, self.dim());
    if (is_exactly(self.sym_size(wrapped), 1)) ones.push_back(wrapped);
  }
  return ones.empty() ? call.input(0) : squeeze(g, call.input(0), ones);
}

OnnxValues convert_squeeze(GraphBuilder& g, const Call& call) {
  return {squeeze_ones(g, call, all_dims(call.tensor(0).dim()))};
}
OnnxValues convert_squeeze_dim(GraphBuilder& g, const Call& call) {
  const int64_t dims[] = {call.integer(1)};
  return {squeeze_ones(g, call, dims)};
}
OnnxValues convert_squeeze_dims(GraphBuilder& g, const Call& call) {
  return {squeeze_ones(g, call, call.integers(1))};
}

OnnxValues convert_unsqueeze(GraphBuilder& g, const Call& call) {
  const int64_t axes[] = {wrap_dim(call.integer(1), call.tensor(0).dim() + 1)};
  return {unsqueeze(g, call.input(0), axes)};
}

OnnxValues convert_expand(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  return {
      expanded(g, call.input(0), sym_sizes_of(self), sym_sizes_of(call.result()), self.dtype())};
}

// ---- Parts ----

OnnxValues convert_select(GraphBuilder& g, const Call& call) {
  return {gather(g, call.input(0), g.size(call.sym_int(2)), dim_of(call, 1, call.tensor(0)))};
}

OnnxValues convert_slice(GraphBuilder& g, const Call& call) {
  const SymInt start = call.has(2) ? call.sym_int(2) : SymInt(0);
  const SymInt end = call.has(3) ? call.sym_int(3) : SymInt(kSliceEnd);
  const int64_t step = call.integer(4);
  if (is_exactly(start, 0) && is_exactly(end, kSliceEnd) && step == 1) return {call.input(0)};
  return {slice(g, call.input(0), dim_of(call, 1, call.tensor(0)), start, end, step)};
}

OnnxValues convert_narrow(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const int64_t dim = dim_of(call, 1, self);
  SymInt start = call.sym_int(2);
  if (!start.is_symbolic() && start.word() < 0) start = start + self.sym_size(dim);
  return {slice(g, call.input(0), dim, start, start + call.sym_int(3))};
}

// By the lengths of the results.
OnnxValues split_to_results(GraphBuilder& g, const Call& call, int64_t dim) {
  const size_t count = call.num_results();
  if (count == 1) return {call.input(0)};
  std::vector<SymInt> lengths;
  for (size_t i = 0; i < count; ++i) lengths.push_back(call.result(i).sym_size(dim));
  if (std::none_of(lengths.begin(), lengths.end(), [](auto& l) { return l.is_symbolic(); })) {
    std::vector<int64_t> numbers;
    for (const SymInt& length : lengths) numbers.push_back(length.word());
    return split(g, call.input(0), dim, numbers);
  }
  if (g.opset() >= 13)
    return g.op("Split", {call.input(0), g.sizes(lengths)}, {{"axis", dim}}, count);
  OnnxValues parts;
  SymInt start = 0;
  for (const SymInt& length : lengths) {
    const SymInt end = start + length;
    parts.push_back(slice(g, call.input(0), dim, start, end));
    start = end;
  }
  return parts;
}
OnnxValues convert_split(GraphBuilder& g, const Call& call) {
  return split_to_results(g, call, dim_of(call, 2, call.tensor(0)));
}

OnnxValues convert_unbind(GraphBuilder& g, const Call& call) {
  OnnxValues parts(call.num_results());
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!call.is_used(i)) continue;
    parts[i] = gather(g, call.input(0), g.scalar(static_cast<int64_t>(i), DType::Int64),
                      dim_of(call, 1, call.tensor(0)));
  }
  return parts;
}

// An int read from a tensor, which sizes may depend on.
OnnxValues convert_item(GraphBuilder& g, const Call& call) {
  const DType dtype = call.tensor(0).dtype();
  if (is_floating(dtype)) call.refuse("a data-dependent float is not a size");
  return {reshape(g, call.input(0, DType::Int64), {})};
}

constexpr BuiltinRule kViewRules[] = {
    {"aten::alias", convert_identity},
    {"aten::detach", convert_identity},
    {"aten::view", convert_reshape},
    {"aten::_unsafe_view", convert_reshape},
    {"aten::reshape", convert_reshape},
    {"aten::view_as", convert_reshape},
    {"aten::reshape_as", convert_reshape},
    {"aten::flatten.using_ints", convert_flatten},
    {"aten::unflatten.int", convert_reshape},
    {"aten::transpose.int", convert_transpose},
    {"aten::swapdims", convert_transpose},
    {"aten::swapaxes", convert_transpose},
    {"aten::t", convert_t},
    {"aten::permute", convert_permute},
    {"aten::movedim.intlist", convert_movedim_list},
    {"aten::movedim.int", convert_movedim},
    {"aten::squeeze", convert_squeeze},
    {"aten::squeeze.dim", convert_squeeze_dim},
    {"aten::squeeze.dims", convert_squeeze_dims},
    {"aten::unsqueeze", convert_unsqueeze},
    {"aten::expand", convert_expand},
    {"aten::expand_as", convert_expand},
    {"aten::broadcast_to", convert_expand},
    {"aten::select.int", convert_select},
    {"aten::slice.Tensor", convert_slice},
    {"aten::narrow", convert_narrow},
    {"aten::split.Tensor", convert_split},
    {"aten::split.sizes", convert_split},
    {"aten::split_with_sizes", convert_split},
    {"aten::chunk", convert_split},
    {"aten::unbind.int", convert_unbind},
    {"aten::_local_scalar_dense", convert_item},
};

}  // namespace

std::span<const BuiltinRule> view_rules() { return kViewRules; }

}  // namespace opwright::onnx
