// What convolutions and pooling share: a window that moves over the last dimensions.
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/onnx.h"

namespace opwright::onnx {

// One number for each dimension; one alone is for all of them.
[[nodiscard]] std::vector<int64_t> per_dim(std::vector<int64_t> numbers, int64_t dims);
// The same padding before and after each dimension, as nodes have it: all that comes before first.
[[nodiscard]] std::vector<int64_t> on_both_sides(const std::vector<int64_t>& padding);

// ONNX always has a batch: one of size 1 for a sample alone.
[[nodiscard]] OnnxValue with_batch(GraphBuilder& g, OnnxValue x, bool is_batched);
[[nodiscard]] OnnxValue without_batch(GraphBuilder& g, OnnxValue x, bool is_batched);

}  // namespace opwright::onnx
