// Views by strides (diagonals, windows), and copies of a tensor with a part of it replaced.
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/convert/onnx/model/axis_nodes.h"
#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/rules.h"

namespace opwright::onnx {
namespace {

// ---- Diagonals: every (columns + 1)-th element of both dimensions merged ----

struct Diagonal {
  std::vector<int64_t> order;  // both dimensions last
  std::vector<SymInt> turned;  // sizes in that order
  std::vector<SymInt> joined;  // with both dimensions merged
  SymInt start;
  SymInt step;
};

Diagonal find_diagonal(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  Diagonal found;
  found.order = all_dims(self.dim());
  std::erase(found.order, dim1);
  std::erase(found.order, dim2);
  for (const int64_t dim : found.order) found.joined.push_back(self.sym_size(dim));
  found.turned = found.joined;
  found.order.insert(found.order.end(), {dim1, dim2});
  const SymInt rows = self.sym_size(dim1);
  const SymInt columns = self.sym_size(dim2);
  found.turned.insert(found.turned.end(), {rows, columns});
  found.joined.push_back(rows * columns);
  found.start = offset >= 0 ? SymInt(offset) : columns * SymInt(-offset);
  found.step = columns + SymInt(1);
  return found;
}

OnnxValue join_dims(GraphBuilder& g, OnnxValue value, const Diagonal& diagonal) {
  return reshape(g, transpose(g, value, diagonal.order), diagonal.joined);
}

OnnxValues convert_diagonal(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const Diagonal diagonal =
      find_diagonal(self, call.integer(1), dim_of(call, 2, self), dim_of(call, 3, self));
  return {gather(g, join_dims(g, call.input(0), diagonal),
                 steps(g, diagonal.start, diagonal.step, call.result().sym_size(-1)),
                 self.dim() - 2)};
}

OnnxValues convert_diagonal_scatter(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const Tensor source = call.tensor(1);
  const Diagonal diagonal =
      find_diagonal(self, call.integer(2), dim_of(call, 3, self), dim_of(call, 4, self));
  const OnnxValue places = spread(g, steps(g, diagonal.start, diagonal.step, source.sym_size(-1)),
                                  source.dim() - 1, sym_sizes_of(source));
  const OnnxValue joined = scatter_elements(g, join_dims(g, call.input(0), diagonal), places,
                                            call.input(1, self.dtype()), -1);
  std::vector<int64_t> back(diagonal.order.size());
  for (size_t i = 0; i < back.size(); ++i)
    back[static_cast<size_t>(diagonal.order[i])] = static_cast<int64_t>(i);
  return {transpose(g, reshape(g, joined, diagonal.turned), back)};
}

OnnxValues convert_trace(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const Diagonal diagonal = find_diagonal(self, 0, 0, 1);
  const SymInt length = sym_min(self.sym_size(0), self.sym_size(1));
  const DType dtype = call.result().dtype();
  const DType wide = wide_dtype(dtype);
  const OnnxValue elements = gather(g, join_dims(g, call.input(0), diagonal),
                                    steps(g, diagonal.start, diagonal.step, length), 0);
  return {recast(g, reduce(g, "ReduceSum", recast(g, elements, self.dtype(), wide), {}, false),
                 wide, dtype)};
}

// ---- Windows ----

OnnxValues convert_unfold(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const Tensor result = call.result();
  const int64_t dim = dim_of(call, 1, self);
  if (self.dim() == 0) return {reshape(g, call.input(0), sym_sizes_of(result))};
  const int64_t behind[] = {1};
  const OnnxValue starts = unsqueeze(g, steps(g, 0, call.integer(3), result.sym_size(dim)), behind);
  const OnnxValue windows =
      gather(g, call.input(0), g.op("Add", {starts, arange(g, call.sym_int(2))}), dim);
  std::vector<int64_t> order = all_dims(result.dim());
  std::erase(order, dim + 1);
  order.push_back(dim + 1);
  return {transpose(g, windows, order)};
}

// For a tensor whose memory order is that of its dimensions; the graph does not say how others are
// laid out.
OnnxValues convert_as_strided(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const std::vector<int64_t> sizes = call.integers(1);
  const std::vector<int64_t> strides = call.integers(2);
  const int64_t offset = call.has(3) ? call.integer(3) : 0;
  SymInt expected = 1;
  for (int64_t i = self.dim() - 1; i >= 0; --i) {
    if (!is_exactly(self.sym_size(i), 1) && self.sym_stride(i).word() != expected.word())
      call.refuse("self is not contiguous in memory; call contiguous() before as_strided()");
    expected = expected * self.sym_size(i);
  }
  std::vector<int64_t> places = {offset};
  for (size_t i = 0; i < sizes.size(); ++i) {
    std::vector<int64_t> inner;
    for (const int64_t place : places) {
      for (int64_t j = 0; j < sizes[i]; ++j) inner.push_back(place + j * strides[i]);
    }
    places = std::move(inner);
  }
  const SymInt flat[] = {expected};
  const OnnxValue taken = gather(g, reshape(g, call.input(0), flat), g.ints(places), 0);
  return {reshape(g, taken, call.sym_ints(1))};
}

// ---- A part replaced ----

// self[:start], part, self[end:] along `dim`.
OnnxValue replace_between(GraphBuilder& g, OnnxValue self, OnnxValue part, int64_t dim,
                          const SymInt& start, const SymInt& end) {
  return concat(g, {slice(g, self, dim, 0, start), part, slice(g, self, dim, end, kSliceEnd)}, dim);
}

// A non-negative index.
SymInt wrap_index(const SymInt& index, const SymInt& size) {
  const bool is_behind = !index.is_symbolic() && index.word() < 0;
  return is_behind ? sym_max(index + size, 0) : index;
}

OnnxValues convert_select_scatter(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const int64_t dim[] = {dim_of(call, 2, self)};
  const SymInt index = wrap_index(call.sym_int(3), self.sym_size(dim[0]));
  const OnnxValue part = unsqueeze(g, call.input(1, self.dtype()), dim);
  return {replace_between(g, call.input(0), part, dim[0], index, index + SymInt(1))};
}

OnnxValues convert_slice_scatter(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const Tensor source = call.tensor(1);
  const int64_t dim = dim_of(call, 2, self);
  const SymInt start = wrap_index(call.has(3) ? call.sym_int(3) : SymInt(0), self.sym_size(dim));
  const int64_t step = call.integer(5);
  const OnnxValue part = call.input(1, self.dtype());
  const SymInt length = source.sym_size(dim);
  if (step == 1) return {replace_between(g, call.input(0), part, dim, start, start + length)};
  const OnnxValue places = spread(g, steps(g, start, step, length), dim, sym_sizes_of(source));
  return {scatter_elements(g, call.input(0), places, part, dim)};
}

constexpr BuiltinRule kStrideRules[] = {
    {"aten::diagonal", convert_diagonal},
    {"aten::diagonal_scatter", convert_diagonal_scatter},
    {"aten::trace", convert_trace},
    {"aten::unfold", convert_unfold},
    {"aten::as_strided", convert_as_strided},
    {"aten::select_scatter", convert_select_scatter},
    {"aten::slice_scatter", convert_slice_scatter},
};

}  // namespace

std::span<const BuiltinRule> stride_rules() { return kStrideRules; }

}  // namespace opwright::onnx
