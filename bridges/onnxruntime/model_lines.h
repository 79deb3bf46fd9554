// The list of custom nodes that an exported model carries in its metadata.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opwright::ort_bridge {

// The lines under "opwright.operators" in metadata_props; none where the model has no such list.
// ValueError for bytes that are no ONNX model.
[[nodiscard]] std::vector<std::string> read_model_lines(std::string_view model);
// OSError for a file that cannot be read.
[[nodiscard]] std::vector<std::string> read_model_file_lines(const std::string& path);

}  // namespace opwright::ort_bridge
