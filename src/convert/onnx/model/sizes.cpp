#include "opwright/convert/onnx/model/sizes.h"

#include <algorithm>
#include <numeric>

#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/wide_dtype.h"

namespace opwright::onnx {

int64_t dim_of(const Call& call, size_t argument, const Tensor& tensor) {
  return wrap_dim(call.integer(argument), std::max<int64_t>(tensor.dim(), 1));
}

OnnxValue arange(GraphBuilder& g, const SymInt& length) {
  if (length.is_symbolic()) {
    const OnnxValue range =
        g.op("Range", {g.scalar(0, DType::Int64), g.size(length), g.scalar(1, DType::Int64)});
    g.set_type(range, DType::Int64, {length});
    return range;
  }
  return g.ints(all_dims(length.word()));
}

OnnxValue steps(GraphBuilder& g, const SymInt& start, const SymInt& step, const SymInt& length) {
  if (start.is_symbolic() || step.is_symbolic() || length.is_symbolic())
    return g.op("Add", {g.op("Mul", {arange(g, length), g.size(step)}), g.size(start)});
  std::vector<int64_t> values = all_dims(length.word());
  for (int64_t& value : values) value = start.word() + step.word() * value;
  return g.ints(values);
}

OnnxValue with_dims(GraphBuilder& g, OnnxValue value, const Tensor& tensor) {
  if (tensor.dim() != 0) return value;
  const int64_t first[] = {0};
  return unsqueeze(g, value, first);
}

OnnxValue places_of(GraphBuilder& g, const Call& call, size_t argument) {
  const Tensor index = call.tensor(argument);
  const DType dtype = index.dtype() == DType::Int32 ? DType::Int32 : DType::Int64;
  return with_dims(g, call.input(argument, dtype), index);
}

OnnxValue spread(GraphBuilder& g, OnnxValue vector, int64_t dim, std::span<const SymInt> sizes) {
  const auto behind = static_cast<size_t>(static_cast<int64_t>(sizes.size()) - dim - 1);
  std::vector<int64_t> ones(behind);
  std::iota(ones.begin(), ones.end(), int64_t{1});
  return expand(g, behind == 0 ? vector : unsqueeze(g, vector, ones), sizes);
}

OnnxValue expanded(GraphBuilder& g, OnnxValue value, std::span<const SymInt> from,
                   std::span<const SymInt> to, DType dtype) {
  if (are_same(from, to)) return value;
  const DType kept = dtype == DType::BFloat16 ? DType::Float32 : dtype;
  return recast(g, expand(g, recast(g, value, dtype, kept), to), kept, dtype);
}

}  // namespace opwright::onnx
