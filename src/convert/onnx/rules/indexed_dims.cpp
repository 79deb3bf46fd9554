#include "opwright/convert/onnx/rules/indexed_dims.h"

#include <algorithm>

#include "opwright/convert/onnx/model/axis_nodes.h"
#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/model/wide_dtype.h"

namespace opwright::onnx {

int64_t IndexedDims::rank() const {
  return ranks.empty() ? 0 : *std::max_element(ranks.begin(), ranks.end());
}

int64_t IndexedDims::num_ahead() const {
  const auto count = static_cast<int64_t>(dims.size());
  if (dims.empty() || dims.back() - dims.front() != count - 1) return 0;
  return dims.front();
}

IndexedDims find_indexed_dims(GraphBuilder& g, const Call& call, size_t argument) {
  const std::vector<Tensor> tensors = call.tensors(argument);
  const OnnxValues values = call.inputs(argument);
  IndexedDims found;
  int64_t dim = 0;
  size_t count = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_there()) {
      found.others.push_back(dim++);
      continue;
    }
    ++count;
    const Tensor& index = tensors[i];
    if (index.dtype() != DType::Bool && index.dtype() != DType::UInt8) {
      found.places.push_back(recast(g, values[i], index.dtype(), DType::Int64));
      found.ranks.push_back(index.dim());
      found.sizes = broadcast(found.sizes, sym_sizes_of(index));
      found.dims.push_back(dim++);
      continue;
    }
    if (index.dim() == 0) call.refuse("a mask without dimensions has no ONNX form");
    found.has_mask = true;
    found.true_places = g.op("NonZero", {recast(g, values[i], index.dtype(), DType::Bool)});
    for (int64_t j = 0; j < index.dim(); ++j) {
      found.places.push_back(gather(g, found.true_places, g.scalar(j, DType::Int64), 0));
      found.ranks.push_back(1);
      found.dims.push_back(dim++);
    }
  }
  found.is_one_mask = found.has_mask && count == 1;
  for (; dim < call.tensor(0).dim(); ++dim) found.others.push_back(dim);
  return found;
}

OnnxValue find_shape(GraphBuilder& g, const IndexedDims& indexed) {
  if (!indexed.has_mask) return g.sizes(indexed.sizes);
  OnnxValue all = indexed.places[0];
  // Any operation that broadcasts all of them has the shape.
  for (size_t i = 1; i < indexed.places.size() && !indexed.is_one_mask; ++i)
    all = g.op("Add", {all, indexed.places[i]});
  return g.op("Shape", {all});
}

OnnxValue join_places(GraphBuilder& g, const IndexedDims& indexed) {
  if (indexed.is_one_mask) {
    const int64_t order[] = {1, 0};
    return transpose(g, indexed.true_places, order);
  }
  const OnnxValue shape = indexed.places.size() > 1 ? find_shape(g, indexed) : OnnxValue();
  const int64_t last[] = {indexed.rank()};
  OnnxValues columns;
  for (const OnnxValue place : indexed.places)
    columns.push_back(
        unsqueeze(g, shape.is_there() ? g.op("Expand", {place, shape}) : place, last));
  return concat(g, columns, -1);
}

}  // namespace opwright::onnx
