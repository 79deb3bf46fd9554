#include "opwright/convert/onnx/model/axis_nodes.h"

#include <utility>
#include <vector>

namespace opwright::onnx {

OnnxValue gather(GraphBuilder& g, OnnxValue value, OnnxValue places, int64_t axis) {
  return g.op("Gather", {value, places}, {{"axis", axis}});
}

OnnxValue concat(GraphBuilder& g, std::span<const OnnxValue> parts, int64_t axis) {
  return parts.size() == 1 ? parts[0] : g.op("Concat", parts, {{"axis", axis}});
}

OnnxValue scatter_elements(GraphBuilder& g, OnnxValue value, OnnxValue places, OnnxValue updates,
                           int64_t axis, const char* reduction) {
  std::vector<Attribute> attributes = {{"axis", axis}};
  if (reduction) attributes.emplace_back("reduction", reduction);
  return g.op("ScatterElements", {value, places, updates}, std::move(attributes));
}

}  // namespace opwright::onnx
