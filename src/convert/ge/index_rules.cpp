// Parts of tensors, at known indices and by index tensors.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "opwright/convert/ge/rules.h"
#include "opwright/convert/sizes.h"
#include "opwright/dtype.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright::graph_engine {
namespace {

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

int64_t dim_of(const Call& call, size_t argument, size_t tensor = 0) {
  const int64_t dim = call.integer(argument);
  return dim < 0 ? dim + std::max<int64_t>(call.tensor(tensor).dim(), 1) : dim;
}

// The engine accepts only non-negative indices.
SymInt from_start(const SymInt& place, const Tensor& self, int64_t dim) {
  return !place.is_symbolic() && place.word() < 0 ? place + self.sym_size(dim) : place;
}

struct Part {
  int64_t dim;
  SymInt start;
  SymInt end;
  SymInt step;
};

// A part of argument 0, or the argument itself if the part is all of it.
OutputPlace part_of(GraphBuilder& g, const Call& call, const Part& part,
                    std::optional<ValueType> type = std::nullopt) {
  const auto& [dim, start, end, step] = part;
  const bool is_to_end = is_exactly(end, kEnd);
  if (is_exactly(start, 0) && is_to_end && is_exactly(step, 1)) return call.input(0);
  // The dimensions before it are complete: masked.
  const auto count = static_cast<size_t>(dim);
  const int64_t mask = (int64_t{1} << dim) - 1;
  std::vector<SymInt> begins(count, SymInt(0));
  std::vector<SymInt> ends(count, SymInt(0));
  std::vector<SymInt> steps(count, SymInt(1));
  begins.push_back(start);
  ends.push_back(is_to_end ? SymInt(0) : end);
  steps.push_back(step);
  const int64_t end_mask = is_to_end ? mask | int64_t{1} << dim : mask;
  return g.op("StridedSlice", {call.input(0), g.sizes(begins), g.sizes(ends), g.sizes(steps)},
              {{"begin_mask", mask}, {"end_mask", end_mask}}, std::move(type));
}

GeValues convert_slice(GraphBuilder& g, const Call& call, const char*) {
  return {part_of(g, call,
                  {dim_of(call, 1), call.has(2) ? call.sym_int(2) : SymInt(0),
                   call.has(3) ? call.sym_int(3) : SymInt(kEnd), call.sym_int(4)})};
}

// Argument 0 with `length` elements from `start` on replaced by `source`.
GeValues replace_part(GraphBuilder& g, const Call& call, int64_t dim, const SymInt& start,
                      OutputPlace source, const SymInt& length) {
  const Tensor self = call.tensor(0);
  const SymInt end = start + length;
  const auto part = [&](const SymInt& from, const SymInt& to, const SymInt& count) {
    ValueType type{self.dtype(), sym_sizes_of(self)};
    type.sizes[static_cast<size_t>(dim)] = count;
    return part_of(g, call, {dim, from, to, SymInt(1)}, std::move(type));
  };
  GeValues parts;
  if (!is_exactly(start, 0)) parts.push_back(part(SymInt(0), start, start));
  parts.push_back(source);
  const SymInt size = self.sym_size(dim);
  if (!are_same(std::span(&end, 1), std::span(&size, 1)))
    parts.push_back(part(end, SymInt(kEnd), size - end));
  const auto count = static_cast<int64_t>(parts.size());
  return {g.op("ConcatV2", {parts, g.scalar(dim, DType::Int64)}, {{"N", count}})};
}

// (self, src, dim, start, end, step)
GeValues convert_slice_scatter(GraphBuilder& g, const Call& call, const char*) {
  if (!is_exactly(call.sym_int(5), 1)) call.refuse("the GE converter knows slices without gaps");
  const int64_t dim = dim_of(call, 2);
  SymInt start = call.has(3) ? from_start(call.sym_int(3), call.tensor(0), dim) : SymInt(0);
  if (!start.is_symbolic() && start.word() < 0) start = SymInt(0);
  return replace_part(g, call, dim, start, call.input(1, call.result().dtype()),
                      call.tensor(1).sym_size(dim));
}

// (self, src, dim, index)
GeValues convert_select_scatter(GraphBuilder& g, const Call& call, const char* op) {
  const Tensor self = call.tensor(0);
  const int64_t dim = dim_of(call, 2);
  ValueType type{self.dtype(), sym_sizes_of(self)};
  type.sizes[static_cast<size_t>(dim)] = SymInt(1);
  const OutputPlace source = g.op(op, {call.input(1, self.dtype())},
                                  {{"axes", std::vector<int64_t>{dim}}}, std::move(type));
  return replace_part(g, call, dim, from_start(call.sym_int(3), self, dim), source, SymInt(1));
}

GeValues gather(GraphBuilder& g, const char* op, OutputPlace self, OutputPlace places,
                int64_t dim) {
  return {g.op(op, {self, places, g.scalar(dim, DType::Int64)})};
}

GeValues convert_select(GraphBuilder& g, const Call& call, const char* op) {
  const int64_t dim = dim_of(call, 1);
  const SymInt place = from_start(call.sym_int(2), call.tensor(0), dim);
  return gather(g, op, call.input(0), g.size(place), dim);
}

GeValues convert_index_select(GraphBuilder& g, const Call& call, const char* op) {
  return gather(g, op, call.input(0), call.input(2), dim_of(call, 1));
}

GeValues convert_embedding(GraphBuilder& g, const Call& call, const char* op) {
  return gather(g, op, call.input(0), call.input(1), 0);
}

GeValues convert_embedding_gradient(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(0), call.input(1)},
               {{"num_weights", call.integer(2)},
                {"padding_idx", call.integer(3)},
                {"scale_grad_by_freq", call.boolean(4)}})};
}

// (self, dim, index, src)
GeValues convert_scatter_add(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(0), call.input(2), call.input(3)},
               {{"axis", dim_of(call, 1)}, {"reduction", "add"}})};
}

// (self, dim, index, source): each entry of `index` applies to all elements of `source` there.
GeValues convert_index_add(GraphBuilder& g, const Call& call, const char* op) {
  if (call.number(4) != 1) call.refuse("the GE converter adds without a factor alpha");
  const int64_t dim = dim_of(call, 1);
  const Tensor source = call.tensor(3);
  const DType dtype = call.tensor(2).dtype();
  std::vector<SymInt> sizes(static_cast<size_t>(source.dim()), SymInt(1));
  if (!sizes.empty()) sizes[static_cast<size_t>(dim)] = source.sym_size(dim);
  const OutputPlace places =
      g.op("Reshape", {call.input(2), g.sizes(sizes)}, {}, ValueType{dtype, sizes});
  const std::vector<SymInt> all = sym_sizes_of(source);
  const OutputPlace indices =
      g.op("BroadcastTo", {places, g.sizes(all)}, {}, ValueType{dtype, all});
  return {g.op(op, {call.input(0), indices, call.input(3)}, {{"axis", dim}, {"reduction", "add"}})};
}

GeValues convert_gather(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(0), call.input(2)}, {{"dim", dim_of(call, 1)}})};
}

// By the lengths of the results.
GeValues convert_split(GraphBuilder& g, const Call& call, const char* op) {
  const int64_t dim = dim_of(call, 2);
  std::vector<SymInt> lengths;
  for (size_t i = 0; i < call.num_results(); ++i) lengths.push_back(call.result(i).sym_size(dim));
  const auto count = static_cast<int64_t>(lengths.size());
  return g.op_of_many(op, {call.input(0), g.sizes(lengths), g.scalar(dim, DType::Int64)},
                      {{"num_split", count}}, static_cast<uint32_t>(count));
}

GeValues convert_unbind(GraphBuilder& g, const Call& call, const char* op) {
  const auto count = static_cast<int64_t>(call.num_results());
  return g.op_of_many(op, {call.input(0)}, {{"num", count}, {"axis", dim_of(call, 1)}},
                      static_cast<uint32_t>(count));
}

GeValues convert_flip(GraphBuilder& g, const Call& call, const char* op) {
  std::vector<int64_t> dims = call.integers(1);
  for (int64_t& dim : dims) dim += dim < 0 ? call.tensor(0).dim() : 0;
  return {g.op(op, {call.input(0), g.ints(dims)})};
}

GeValues convert_triangle(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(0)}, {{"diagonal", call.integer(1)}})};
}

constexpr auto kIndexRules = std::to_array<BuiltinRule>({
    {"aten::slice.Tensor", convert_slice},
    {"aten::slice_scatter", convert_slice_scatter},
    {"aten::select_scatter", convert_select_scatter, "Unsqueeze"},
    {"aten::select.int", convert_select, "GatherV2"},
    {"aten::index_select", convert_index_select, "GatherV2"},
    {"aten::embedding", convert_embedding, "GatherV2"},
    {"aten::embedding_dense_backward", convert_embedding_gradient, "EmbeddingDenseGrad"},
    {"aten::index_add", convert_index_add, "ScatterElements"},
    {"aten::scatter_add", convert_scatter_add, "ScatterElements"},
    {"aten::gather", convert_gather, "GatherElements"},
    {"aten::split.Tensor", convert_split, "SplitV"},
    {"aten::split.sizes", convert_split, "SplitV"},
    {"aten::split_with_sizes", convert_split, "SplitV"},
    {"aten::chunk", convert_split, "SplitV"},
    {"aten::unbind.int", convert_unbind, "Unpack"},
    {"aten::flip", convert_flip, "ReverseV2"},
    {"aten::tril", convert_triangle, "Tril"},
    {"aten::triu", convert_triangle, "Triu"},
});

}  // namespace

std::span<const BuiltinRule> index_rules() { return kIndexRules; }

}  // namespace opwright::graph_engine
