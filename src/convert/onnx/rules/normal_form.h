// (x - mean) / sqrt(variance + eps) as nodes, for opsets and dtypes without a normalization node.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/dtype.h"
#include "opwright/runtime/onnx.h"

namespace opwright::onnx {

struct NormalForm {
  OnnxValue normal;
  OnnxValue mean;        // over the dimensions, which are kept with size 1
  OnnxValue reciprocal;  // of the standard deviation
};

// Over `axes`; `x` has `dtype`, which is not a half.
[[nodiscard]] NormalForm normalize(GraphBuilder& g, OnnxValue x, std::span<const int64_t> axes,
                                   double eps, DType dtype);
// x / sqrt(mean of squares + eps); without a mean.
[[nodiscard]] NormalForm normalize_by_squares(GraphBuilder& g, OnnxValue x,
                                              std::span<const int64_t> axes, double eps,
                                              DType dtype);
// normal * weight + bias, each if present.
[[nodiscard]] OnnxValue with_weights(GraphBuilder& g, OnnxValue normal, OnnxValue weight,
                                     OnnxValue bias);

// The dtype in which norms are computed: float32 for halves, unchanged for others.
[[nodiscard]] constexpr DType norm_dtype(DType dtype) {
  return dtype == DType::Float16 || dtype == DType::BFloat16 ? DType::Float32 : dtype;
}

}  // namespace opwright::onnx
