#include "opwright/convert/onnx/rules/reduction_axes.h"

#include "opwright/convert/onnx/model/opset.h"

namespace opwright::onnx {

ReductionAxes axes_of(const Call& call, size_t argument, bool keeps_dims) {
  const int64_t rank = call.tensor(0).dim();
  if (rank == 0) return {};  // there are none to keep
  ReductionAxes axes{.dims = {}, .keeps_dims = keeps_dims};
  if (!call.has(argument)) return axes;
  if (call.constant(argument).tag == kOpwInt)
    axes.dims = {call.integer(argument)};
  else
    axes.dims = call.integers(argument);
  for (int64_t& dim : axes.dims) dim = wrap_dim(dim, rank);
  return axes;
}

SymInt count_reduced(const Tensor& tensor, const ReductionAxes& axes) {
  if (axes.dims.empty()) return tensor.sym_numel();
  SymInt count = 1;
  for (const int64_t dim : axes.dims) count = count * tensor.sym_size(dim);
  return count;
}

OnnxValue reduce_over(GraphBuilder& g, std::string_view type, OnnxValue value, const Tensor& tensor,
                      const ReductionAxes& axes) {
  if (tensor.dim() == 0) return value;
  return reduce(g, type, value, axes.dims, axes.keeps_dims);
}

}  // namespace opwright::onnx
