// Indexing by index tensors and by masks.
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/convert/onnx/model/axis_nodes.h"
#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/indexed_dims.h"
#include "opwright/convert/onnx/rules/rules.h"

namespace opwright::onnx {
namespace {

OnnxValues convert_index_select(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const OnnxValue taken =
      gather(g, with_dims(g, call.input(0), self), places_of(g, call, 2), dim_of(call, 1, self));
  return {self.dim() == 0 ? reshape(g, taken, {}) : taken};
}

OnnxValues convert_gather(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const Tensor index = call.tensor(2);
  if (is_empty(index)) {  // which may have other dimensions than self
    const SymInt flat[] = {self.sym_numel()};
    const OnnxValue nothing = slice(g, reshape(g, call.input(0), flat), 0, 0, 0);
    return {reshape(g, nothing, sym_sizes_of(index))};
  }
  const OnnxValue taken =
      g.op("GatherElements", {with_dims(g, call.input(0), self), places_of(g, call, 2)},
           {{"axis", dim_of(call, 1, self)}});
  return {index.dim() == 0 ? reshape(g, taken, {}) : taken};
}

// ---- x[i, :, j], x[mask] ----

// Moves `count` dimensions after the first `ahead` to the front.
std::vector<int64_t> order_to_front(int64_t ahead, int64_t count, int64_t rank) {
  std::vector<int64_t> order;
  for (int64_t i = ahead; i < ahead + count; ++i) order.push_back(i);
  for (int64_t i = 0; i < rank; ++i) {
    if (i < ahead || i >= ahead + count) order.push_back(i);
  }
  return order;
}

std::vector<int64_t> invert(std::span<const int64_t> order) {
  std::vector<int64_t> back(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return back;
}

// Indexed dimensions, then the others.
std::vector<int64_t> front_order(const IndexedDims& indexed) {
  std::vector<int64_t> order = indexed.dims;
  order.insert(order.end(), indexed.others.begin(), indexed.others.end());
  return order;
}

OnnxValues convert_index(GraphBuilder& g, const Call& call) {
  const IndexedDims indexed = find_indexed_dims(g, call, 1);
  if (indexed.dims.empty()) return {call.input(0)};
  if (indexed.dims.size() == 1) {
    return {gather(g, call.input(0), indexed.places[0], indexed.dims[0])};
  }
  const OnnxValue fronted = transpose(g, call.input(0), front_order(indexed));
  const OnnxValue taken = g.op("GatherND", {fronted, join_places(g, indexed)});
  const int64_t ahead = indexed.num_ahead();
  if (ahead == 0) return {taken};
  return {transpose(g, taken, invert(order_to_front(ahead, indexed.rank(), call.result().dim())))};
}

// The values in ScatterND's layout: expanded, with the dimensions of the indices first.
OnnxValue arrange_updates(GraphBuilder& g, const Call& call, const IndexedDims& indexed) {
  const Tensor self = call.tensor(0);
  const auto ahead = static_cast<size_t>(indexed.num_ahead());
  std::vector<SymInt> before;
  std::vector<SymInt> behind;
  for (size_t i = 0; i < indexed.others.size(); ++i)
    (i < ahead ? before : behind).push_back(self.sym_size(indexed.others[i]));
  OnnxValues shape;
  if (!before.empty()) shape.push_back(g.sizes(before));
  if (indexed.rank() > 0) shape.push_back(find_shape(g, indexed));
  if (!behind.empty()) shape.push_back(g.sizes(behind));
  const DType dtype = self.dtype();
  const DType kept = dtype == DType::BFloat16 ? DType::Float32 : dtype;
  OnnxValue updates = call.input(2, kept);
  if (!shape.empty()) {
    const OnnxValue target = concat(g, shape, 0);
    updates = g.op("Expand", {updates, target});
  }
  updates = recast(g, updates, kept, dtype);
  if (ahead == 0) return updates;
  const int64_t rank = indexed.rank() + static_cast<int64_t>(indexed.others.size());
  return transpose(g, updates, order_to_front(indexed.num_ahead(), indexed.rank(), rank));
}

OnnxValue put_values(GraphBuilder& g, const Call& call, bool accumulates) {
  const IndexedDims indexed = find_indexed_dims(g, call, 1);
  if (indexed.dims.empty()) call.refuse("indices are all None");
  const std::vector<int64_t> order = front_order(indexed);
  std::vector<Attribute> attributes;
  if (accumulates) attributes.emplace_back("reduction", "add");
  const OnnxValue written = g.op("ScatterND",
                                 {transpose(g, call.input(0), order), join_places(g, indexed),
                                  arrange_updates(g, call, indexed)},
                                 std::move(attributes));
  return transpose(g, written, invert(order));
}

bool has_one_element(const Tensor& tensor) { return is_exactly(tensor.sym_numel(), 1); }

// x[mask] = number is an elementwise selection.
bool is_choice(const Call& call) {
  const std::vector<Tensor> indices = call.tensors(1);
  return indices.size() == 1 && indices[0].is_defined() && indices[0].dtype() == DType::Bool &&
         indices[0].dim() > 0 && has_one_element(call.tensor(2)) && !call.boolean(3);
}

OnnxValues convert_index_put(GraphBuilder& g, const Call& call) {
  if (!is_choice(call)) {
    if (call.boolean(3) && g.opset() < 16)
      call.refuse("accumulate=True needs ScatterND with a reduction, which is in opset 16");
    return {put_values(g, call, call.boolean(3))};
  }
  const Tensor self = call.tensor(0);
  const int64_t mask_rank = call.tensors(1)[0].dim();
  OnnxValue mask = call.inputs(1)[0];
  std::vector<int64_t> behind;
  for (int64_t i = mask_rank; i < self.dim(); ++i) behind.push_back(i);
  if (!behind.empty()) mask = unsqueeze(g, mask, behind);
  const OnnxValue number = reshape(g, call.input(2, self.dtype()), {});
  return {where(g, mask, number, call.input(0), self.dtype())};
}

// ---- Masks ----

OnnxValues convert_masked_fill_scalar(GraphBuilder& g, const Call& call) {
  const DType dtype = call.tensor(0).dtype();
  return {where(g, call.input(1), g.scalar(call.constant(2), dtype), call.input(0), dtype)};
}
OnnxValues convert_masked_fill(GraphBuilder& g, const Call& call) {
  const DType dtype = call.tensor(0).dtype();
  return {where(g, call.input(1), call.input(2, dtype), call.input(0), dtype)};
}

OnnxValues convert_masked_select(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const Tensor mask = call.tensor(1);
  std::vector<SymInt> sizes = broadcast(sym_sizes_of(self), sym_sizes_of(mask));
  if (sizes.empty()) sizes.push_back(1);
  const OnnxValue values = expanded(g, call.input(0), sym_sizes_of(self), sizes, self.dtype());
  const OnnxValue is_taken = expanded(g, call.input(1), sym_sizes_of(mask), sizes, DType::Bool);
  const int64_t order[] = {1, 0};
  return {g.op("GatherND", {values, transpose(g, g.op("NonZero", {is_taken}), order)})};
}

// The true elements get those of source in order, by a running count.
OnnxValues convert_masked_scatter(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const Tensor result = call.result();
  const std::vector<SymInt> sizes = sym_sizes_of(result);
  const OnnxValue mask =
      expanded(g, call.input(1), sym_sizes_of(call.tensor(1)), sizes, DType::Bool);
  const SymInt numel[] = {result.sym_numel()};
  const OnnxValue ones = reshape(g, g.cast(mask, DType::Int64), numel);
  const OnnxValue counts = g.op("CumSum", {ones, g.scalar(0, DType::Int64)});
  const OnnxValue places =
      g.op("Max", {g.op("Sub", {counts, g.scalar(1, DType::Int64)}), g.scalar(0, DType::Int64)});
  const SymInt source_numel[] = {call.tensor(2).sym_numel()};
  const OnnxValue taken = gather(g, reshape(g, call.input(2), source_numel), places, 0);
  return {where(g, mask, reshape(g, taken, sizes), call.input(0), self.dtype())};
}

OnnxValues convert_nonzero(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const OnnxValue is_there = with_dims(g, call.input(0, DType::Bool), self);
  const int64_t order[] = {1, 0};
  const OnnxValue places = transpose(g, g.op("NonZero", {is_there}), order);
  return {self.dim() == 0 ? slice(g, places, 1, 0, 0) : places};
}

// Repeats each index: counts how many of the running sums are at most a number.
OnnxValues convert_repeat_interleave(GraphBuilder& g, const Call& call) {
  const OnnxValue repeats = call.input(0, DType::Int64);
  const OnnxValue ends = g.op("CumSum", {repeats, g.scalar(0, DType::Int64)});
  const OnnxValue total = reduce(g, "ReduceSum", repeats, {}, false);
  const OnnxValue numbers =
      g.op("Range", {g.scalar(0, DType::Int64), total, g.scalar(1, DType::Int64)});
  const int64_t last[] = {1};
  const OnnxValue is_behind = g.op("GreaterOrEqual", {unsqueeze(g, numbers, last), ends});
  const OnnxValue places = reduce(g, "ReduceSum", g.cast(is_behind, DType::Int64), last, false);
  return {recast(g, places, DType::Int64, call.result().dtype())};
}

OnnxValues convert_one_hot(GraphBuilder& g, const Call& call) {
  const int64_t num_classes = call.integer(1);
  if (num_classes < 0)
    call.refuse("num_classes=-1 reads the largest class from the data; give the number");
  return {g.op("OneHot", {call.input(0), g.scalar(num_classes, DType::Int64), g.ints({0, 1})},
               {{"axis", -1}})};
}

constexpr BuiltinRule kIndexRules[] = {
    {"aten::index_select", convert_index_select},
    {"aten::gather", convert_gather},
    {"aten::index.Tensor", convert_index},
    {"aten::index_put", convert_index_put},
    {"aten::masked_fill.Scalar", convert_masked_fill_scalar},
    {"aten::masked_fill.Tensor", convert_masked_fill},
    {"aten::masked_select", convert_masked_select},
    {"aten::masked_scatter", convert_masked_scatter},
    {"aten::nonzero", convert_nonzero},
    {"aten::one_hot", convert_one_hot},
    {"aten::repeat_interleave.Tensor", convert_repeat_interleave},
};

}  // namespace

std::span<const BuiltinRule> index_rules() { return kIndexRules; }

}  // namespace opwright::onnx
