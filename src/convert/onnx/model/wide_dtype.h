// Dtypes for which ONNX, and ONNX Runtime on a CPU, have every node.
//
// Many nodes do not support narrow ints, bool, unsigned ints and 16-bit floats; a rule casts to the
// wide dtype, computes, and casts back.
#pragma once

#include "opwright/dtype.h"
#include "opwright/runtime/onnx.h"

namespace opwright::onnx {

// int32 for bool and ints of up to 16 bits, int64 for uint32, float32 for float16 and bfloat16,
// unchanged for others. uint64 becomes int64, which wraps around: correct for moves, sums and
// products, but not for comparisons.
[[nodiscard]] DType wide_dtype(DType dtype);
// The same for nodes that compare: uint64 is unchanged.
[[nodiscard]] DType ordered_dtype(DType dtype);

// float32 for bfloat16, which windowed and recurrent nodes support only since opset 22.
[[nodiscard]] constexpr DType without_bfloat16(DType dtype) {
  return dtype == DType::BFloat16 ? DType::Float32 : dtype;
}

// For values whose dtype only the rule knows.
[[nodiscard]] OnnxValue recast(GraphBuilder& g, OnnxValue value, DType from, DType to);

// `condition ? a : b`, of values of `dtype`.
[[nodiscard]] OnnxValue where(GraphBuilder& g, OnnxValue condition, OnnxValue a, OnnxValue b,
                              DType dtype);

}  // namespace opwright::onnx
