// Uniform functions for nodes whose form differs between opsets.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "opwright/runtime/onnx.h"
#include "opwright/visibility.h"

namespace opwright::onnx {

// Axes are attributes before opset 13, inputs since then.
[[nodiscard]] OPWRIGHT_EXPORT OnnxValue unsqueeze(GraphBuilder& g, OnnxValue x,
                                                  std::span<const int64_t> axes);
[[nodiscard]] OPWRIGHT_EXPORT OnnxValue squeeze(GraphBuilder& g, OnnxValue x,
                                                std::span<const int64_t> axes);
// "ReduceSum", "ReduceMax", ...: axes are an input since 13 (ReduceSum) or 18 (the others). No
// axes: all dimensions.
[[nodiscard]] OPWRIGHT_EXPORT OnnxValue reduce(GraphBuilder& g, std::string_view type, OnnxValue x,
                                               std::span<const int64_t> axes, bool keeps_dims);
// Sizes may be computed; 0 means a size of 0.
[[nodiscard]] OnnxValue reshape(GraphBuilder& g, OnnxValue x, std::span<const SymInt> sizes);
[[nodiscard]] OnnxValue expand(GraphBuilder& g, OnnxValue x, std::span<const SymInt> sizes);
[[nodiscard]] OnnxValue transpose(GraphBuilder& g, OnnxValue x, std::span<const int64_t> order);
inline constexpr int64_t kSliceEnd = std::numeric_limits<int64_t>::max();  // for any dimension
// Slices one dimension, with `start` and `end` as in Python after clamping; they may be computed.
[[nodiscard]] OnnxValue slice(GraphBuilder& g, OnnxValue x, int64_t dim, const SymInt& start,
                              const SymInt& end, int64_t step = 1);
[[nodiscard]] OnnxValues split(GraphBuilder& g, OnnxValue x, int64_t dim,
                               std::span<const int64_t> lengths);
// Over one dimension, also before opset 13, which merged the dimensions after it.
[[nodiscard]] OnnxValue softmax(GraphBuilder& g, std::string_view type, OnnxValue x, int64_t dim,
                                int64_t rank);

// 0 <= dim < rank. IndexError.
[[nodiscard]] int64_t wrap_dim(int64_t dim, int64_t rank);

}  // namespace opwright::onnx
