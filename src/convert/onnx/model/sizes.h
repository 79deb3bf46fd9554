// Sizes and dimensions of a call's tensors, for rules.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "opwright/convert/sizes.h"  // IWYU pragma: export
#include "opwright/runtime/onnx.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright::onnx {

// The dimension that an argument names; 0 for a tensor without dimensions.
[[nodiscard]] int64_t dim_of(const Call& call, size_t argument, const Tensor& tensor);
// 0, 1, ... length - 1, int64.
[[nodiscard]] OnnxValue arange(GraphBuilder& g, const SymInt& length);
// start, start + step, ...: `length` of them.
[[nodiscard]] OnnxValue steps(GraphBuilder& g, const SymInt& start, const SymInt& step,
                              const SymInt& length);
// The value itself, or reshaped to [1] if it has no dimensions, which many nodes do not accept.
[[nodiscard]] OnnxValue with_dims(GraphBuilder& g, OnnxValue value, const Tensor& tensor);
// An index tensor with dimensions, as int32 or int64, which nodes accept.
[[nodiscard]] OnnxValue places_of(GraphBuilder& g, const Call& call, size_t argument);
// A vector expanded to `sizes`, along their dimension `dim`.
[[nodiscard]] OnnxValue spread(GraphBuilder& g, OnnxValue vector, int64_t dim,
                               std::span<const SymInt> sizes);
// expand of opset.h, for every dtype; the value itself if the sizes are equal.
[[nodiscard]] OnnxValue expanded(GraphBuilder& g, OnnxValue value, std::span<const SymInt> from,
                                 std::span<const SymInt> to, DType dtype);

}  // namespace opwright::onnx
