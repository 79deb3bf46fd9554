// Nodes along one dimension that many rules are made of.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "opwright/onnx.h"

namespace opwright::onnx {

// The elements, or slices, of `value` at `places` along `axis`; places take axis's place.
[[nodiscard]] OnnxValue gather(GraphBuilder& g, OnnxValue value, OnnxValue places, int64_t axis);
// One value is itself.
[[nodiscard]] OnnxValue concat(GraphBuilder& g, std::span<const OnnxValue> parts, int64_t axis);
[[nodiscard]] inline OnnxValue concat(GraphBuilder& g, std::initializer_list<OnnxValue> parts,
                                      int64_t axis) {
  return concat(g, std::span(parts.begin(), parts.size()), axis);
}
// `updates` written into `value` at `places`, element by element; `reduction` ("add", "mul", opset
// 16; "min", "max", opset 18) joins them with what stands there, null replaces it.
[[nodiscard]] OnnxValue scatter_elements(GraphBuilder& g, OnnxValue value, OnnxValue places,
                                         OnnxValue updates, int64_t axis,
                                         const char* reduction = nullptr);

}  // namespace opwright::onnx
