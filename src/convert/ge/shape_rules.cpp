// Reshaping, joining and creating tensors.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "opwright/convert/ge/rules.h"
#include "opwright/convert/sizes.h"
#include "opwright/dtype.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::graph_engine {
namespace {

GeValues convert_identity(GraphBuilder&, const Call& call, const char*) { return {call.input(0)}; }

// (history, value); a vendor's graph has no gradients.
GeValues convert_graft(GraphBuilder&, const Call& call, const char*) { return {call.input(1)}; }

GeValues convert_copy(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(0)})};
}

GeValues convert_reshape(GraphBuilder& g, const Call& call, const char* op) {
  const std::vector<SymInt> sizes = sym_sizes_of(call.result());
  if (are_same(sizes, sym_sizes_of(call.tensor(0)))) return {call.input(0)};
  return {g.op(op, {call.input(0), g.sizes(sizes)})};
}

GeValues convert_permute(GraphBuilder& g, const Call& call, const char* op) {
  std::vector<int64_t> order = call.integers(1);
  for (int64_t& dim : order) dim = count_from_front(dim, static_cast<int64_t>(order.size()));
  if (order.empty()) return {call.input(0)};
  return {g.op(op, {call.input(0), g.ints(order)})};
}

GeValues convert_transpose(GraphBuilder& g, const Call& call, const char* op) {
  const int64_t rank = call.tensor(0).dim();
  const bool is_t = call.num_arguments() == 1;  // aten::t
  if (rank < 2) return {call.input(0)};
  std::vector<int64_t> order = all_dims(rank);
  std::swap(order[static_cast<size_t>(is_t ? 0 : count_from_front(call.integer(1), rank))],
            order[static_cast<size_t>(is_t ? 1 : count_from_front(call.integer(2), rank))]);
  return {g.op(op, {call.input(0), g.ints(order)})};
}

GeValues convert_unsqueeze(GraphBuilder& g, const Call& call, const char* op) {
  const int64_t dim = count_from_front(call.integer(1), call.tensor(0).dim() + 1);
  return {g.op(op, {call.input(0)}, {{"axes", std::vector<int64_t>{dim}}})};
}

// Without the given dimensions of size 1; a dynamic size is not 1.
GeValues convert_squeeze(GraphBuilder& g, const Call& call, const char* op) {
  const Tensor self = call.tensor(0);
  std::vector<int64_t> ones;
  for (int64_t dim : call.num_arguments() == 1 ? all_dims(self.dim()) : call.integers(1)) {
    if (self.dim() == 0) break;
    dim = count_from_front(dim, self.dim());
    if (is_exactly(self.sym_size(dim), 1)) ones.push_back(dim);
  }
  if (ones.empty()) return {call.input(0)};
  return {g.op(op, {call.input(0)}, {{"axis", ones}})};
}

GeValues cast_inputs(GraphBuilder& g, const Call& call) {
  GeValues values = call.inputs(0);
  for (OutputPlace& value : values) value = g.cast(value, call.result().dtype());
  return values;
}

GeValues convert_cat(GraphBuilder& g, const Call& call, const char* op) {
  const GeValues values = cast_inputs(g, call);
  const auto count = static_cast<int64_t>(values.size());
  const int64_t dim = count_from_front(call.integer(1), call.result().dim());
  return {g.op(op, {values, g.scalar(dim, DType::Int64)}, {{"N", count}})};
}

GeValues convert_stack(GraphBuilder& g, const Call& call, const char* op) {
  const GeValues values = cast_inputs(g, call);
  const auto count = static_cast<int64_t>(values.size());
  const int64_t dim = count_from_front(call.integer(1), call.result().dim());
  return {g.op(op, {values}, {{"N", count}, {"axis", dim}})};
}

GeValues fill(GraphBuilder& g, const Call& call, const OpwValue& number) {
  const Tensor result = call.result();
  return {g.op("Fill", {g.sizes(sym_sizes_of(result)), g.scalar(number, result.dtype())})};
}
GeValues convert_full(GraphBuilder& g, const Call& call, const char*) {
  return fill(g, call, call.constant(1));
}
GeValues convert_zeros(GraphBuilder& g, const Call& call, const char*) {
  return fill(g, call, Value(int64_t{0}).get());
}
GeValues convert_ones(GraphBuilder& g, const Call& call, const char*) {
  return fill(g, call, Value(int64_t{1}).get());
}
GeValues convert_scalar_tensor(GraphBuilder&, const Call& call, const char*) {
  return {call.input(0, call.result().dtype())};
}

// arange(end), arange(start, end) and arange(start, end, step).
GeValues convert_arange(GraphBuilder& g, const Call& call, const char* op) {
  const DType dtype = call.result().dtype();
  const Schema& schema = call.node().op().schema();
  const bool has_start = schema.index_of("start").has_value();
  const bool has_step = schema.index_of("step").has_value();
  const OutputPlace start = has_start ? call.input(0, dtype) : g.scalar(0, dtype);
  const OutputPlace step = has_step ? call.input(2, dtype) : g.scalar(1, dtype);
  return {g.op(op, {start, call.input(has_start ? 1 : 0, dtype), step})};
}

constexpr auto kShapeRules = std::to_array<BuiltinRule>({
    {"aten::alias", convert_identity},
    {"aten::detach", convert_identity},
    {"opwright::graft", convert_graft},
    {"aten::clone", convert_copy, "Identity"},
    {"aten::lift_fresh_copy", convert_copy, "Identity"},
    {"aten::view", convert_reshape, "Reshape"},
    {"aten::_unsafe_view", convert_reshape, "Reshape"},
    {"aten::reshape", convert_reshape, "Reshape"},
    {"aten::flatten.using_ints", convert_reshape, "Reshape"},
    {"aten::permute", convert_permute, "Transpose"},
    {"aten::transpose.int", convert_transpose, "Transpose"},
    {"aten::t", convert_transpose, "Transpose"},
    {"aten::expand", convert_reshape, "BroadcastTo"},
    {"aten::unsqueeze", convert_unsqueeze, "Unsqueeze"},
    {"aten::squeeze", convert_squeeze, "Squeeze"},
    {"aten::squeeze.dim", convert_squeeze, "Squeeze"},
    {"aten::squeeze.dims", convert_squeeze, "Squeeze"},
    {"aten::cat", convert_cat, "ConcatV2"},
    {"aten::stack", convert_stack, "Pack"},
    {"aten::full", convert_full},
    {"aten::full_like", convert_full},
    {"aten::zeros", convert_zeros},
    {"aten::zeros_like", convert_zeros},
    {"aten::new_zeros", convert_zeros},
    {"aten::ones", convert_ones},
    {"aten::ones_like", convert_ones},
    {"aten::scalar_tensor", convert_scalar_tensor},
    {"aten::arange", convert_arange, "Range"},
    {"aten::arange.start", convert_arange, "Range"},
    {"aten::arange.start_step", convert_arange, "Range"},
});

}  // namespace

std::span<const BuiltinRule> shape_rules() { return kShapeRules; }

}  // namespace opwright::graph_engine
