// The list of custom nodes in the metadata of an exported model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opwright::ort_bridge {

// The lines under "opwright.operators" in metadata_props; empty if the model has no such list.
// ValueError for bytes that are not an ONNX model.
[[nodiscard]] std::vector<std::string> read_model_lines(std::string_view model);
// OSError for a file that cannot be read.
[[nodiscard]] std::vector<std::string> read_model_file_lines(const std::string& path);

}  // namespace opwright::ort_bridge
