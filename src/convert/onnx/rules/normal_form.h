// (x - mean) / sqrt(variance + eps) in nodes, for opsets and dtypes without a node for a norm.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/dtype.h"
#include "opwright/onnx.h"

namespace opwright::onnx {

struct NormalForm {
  OnnxValue normal;
  OnnxValue mean;        // of the dimensions, which stay with size 1
  OnnxValue reciprocal;  // of the standard deviation
};

// Over `axes`; `x` is of `dtype`, which is no half.
[[nodiscard]] NormalForm normalize(GraphBuilder& g, OnnxValue x, std::span<const int64_t> axes,
                                   double eps, DType dtype);
// x / sqrt(mean of squares + eps); the mean is none.
[[nodiscard]] NormalForm normalize_by_squares(GraphBuilder& g, OnnxValue x,
                                              std::span<const int64_t> axes, double eps,
                                              DType dtype);
// normal * weight + bias, each where it is there.
[[nodiscard]] OnnxValue with_weights(GraphBuilder& g, OnnxValue normal, OnnxValue weight,
                                     OnnxValue bias);

// float32 for halves, in which norms are computed; itself for others.
[[nodiscard]] constexpr DType norm_dtype(DType dtype) {
  return dtype == DType::Float16 || dtype == DType::BFloat16 ? DType::Float32 : dtype;
}

}  // namespace opwright::onnx
