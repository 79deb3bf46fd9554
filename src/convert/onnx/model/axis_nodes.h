// Nodes along one dimension that many rules use.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "opwright/runtime/onnx.h"

namespace opwright::onnx {

// The elements, or slices, of `value` at `places` along `axis`, which is replaced by the dimensions
// of `places`.
[[nodiscard]] OnnxValue gather(GraphBuilder& g, OnnxValue value, OnnxValue places, int64_t axis);
// A single value is returned unchanged.
[[nodiscard]] OnnxValue concat(GraphBuilder& g, std::span<const OnnxValue> parts, int64_t axis);
[[nodiscard]] inline OnnxValue concat(GraphBuilder& g, std::initializer_list<OnnxValue> parts,
                                      int64_t axis) {
  return concat(g, std::span(parts.begin(), parts.size()), axis);
}
// `value` with `updates` written at `places`, element by element; `reduction` ("add", "mul", opset
// 16; "min", "max", opset 18) combines them with the previous elements, null replaces these.
[[nodiscard]] OnnxValue scatter_elements(GraphBuilder& g, OnnxValue value, OnnxValue places,
                                         OnnxValue updates, int64_t axis,
                                         const char* reduction = nullptr);

}  // namespace opwright::onnx
