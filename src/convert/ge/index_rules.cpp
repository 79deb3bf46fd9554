// Parts of tensors, by places that are known and by tensors of indices.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
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

// The engine takes places from the start alone.
SymInt from_start(const SymInt& place, const Tensor& self, int64_t dim) {
  return !place.is_symbolic() && place.word() < 0 ? place + self.sym_size(dim) : place;
}

GeValues convert_slice(GraphBuilder& g, const Call& call, const char* op) {
  const int64_t dim = dim_of(call, 1);
  const SymInt start = call.has(2) ? call.sym_int(2) : SymInt(0);
  const SymInt end = call.has(3) ? call.sym_int(3) : SymInt(kEnd);
  const SymInt step = call.sym_int(4);
  const bool is_to_end = is_exactly(end, kEnd);
  if (is_exactly(start, 0) && is_to_end && is_exactly(step, 1)) return {call.input(0)};
  // The dimensions before it are whole: masked.
  const auto count = static_cast<size_t>(dim);
  const int64_t mask = (int64_t{1} << dim) - 1;
  std::vector<SymInt> begins(count, SymInt(0));
  std::vector<SymInt> ends(count, SymInt(0));
  std::vector<SymInt> steps(count, SymInt(1));
  begins.push_back(start);
  ends.push_back(is_to_end ? SymInt(0) : end);
  steps.push_back(step);
  const int64_t end_mask = is_to_end ? mask | int64_t{1} << dim : mask;
  return {g.op(op, {call.input(0), g.sizes(begins), g.sizes(ends), g.sizes(steps)},
               {{"begin_mask", mask}, {"end_mask", end_mask}})};
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

GeValues convert_gather(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(0), call.input(2)}, {{"dim", dim_of(call, 1)}})};
}

// By the lengths that the results have.
GeValues convert_split(GraphBuilder& g, const Call& call, const char* op) {
  const int64_t dim = dim_of(call, 2);
  std::vector<SymInt> lengths;
  for (size_t i = 0; i < call.num_results(); ++i) lengths.push_back(call.result(i).sym_size(dim));
  const auto count = static_cast<int64_t>(lengths.size());
  return g.op_of_many(op, {call.input(0), g.sizes(lengths), g.scalar(dim, DType::Int64)},
                      {{"num_split", count}}, static_cast<uint32_t>(count));
}

GeValues convert_triangle(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(0)}, {{"diagonal", call.integer(1)}})};
}

constexpr auto kRules = std::to_array<BuiltinRule>({
    {"aten::slice.Tensor", convert_slice, "StridedSlice"},
    {"aten::select.int", convert_select, "GatherV2"},
    {"aten::index_select", convert_index_select, "GatherV2"},
    {"aten::embedding", convert_embedding, "GatherV2"},
    {"aten::gather", convert_gather, "GatherElements"},
    {"aten::split.Tensor", convert_split, "SplitV"},
    {"aten::split.sizes", convert_split, "SplitV"},
    {"aten::split_with_sizes", convert_split, "SplitV"},
    {"aten::chunk", convert_split, "SplitV"},
    {"aten::tril", convert_triangle, "Tril"},
    {"aten::triu", convert_triangle, "Triu"},
});

}  // namespace

std::span<const BuiltinRule> index_rules() { return kRules; }

}  // namespace opwright::graph_engine
