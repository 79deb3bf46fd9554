// Common part of convolutions and pooling: a window that moves over the last dimensions.
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/runtime/onnx.h"

namespace opwright::onnx {

// One number per dimension; a single number applies to all.
[[nodiscard]] std::vector<int64_t> per_dim(std::vector<int64_t> numbers, int64_t dims);
// The same padding before and after each dimension, in node order: all before, then all after.
[[nodiscard]] std::vector<int64_t> on_both_sides(const std::vector<int64_t>& padding);

// ONNX always has a batch dimension: size 1 for a single sample.
[[nodiscard]] OnnxValue with_batch(GraphBuilder& g, OnnxValue x, bool is_batched);
[[nodiscard]] OnnxValue without_batch(GraphBuilder& g, OnnxValue x, bool is_batched);

}  // namespace opwright::onnx
