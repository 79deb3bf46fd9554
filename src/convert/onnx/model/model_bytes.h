// Serializes a model; large tensors go into a separate file.
#pragma once

#include <cstdint>
#include <string>

#include "opwright/convert/onnx/model/model.h"

namespace opwright::onnx {

// The limit of a protocol buffers message.
inline constexpr uint64_t kMostModelBytes = (uint64_t{1} << 31) - 1;

// The bytes of all tensors, as stored in the model.
[[nodiscard]] uint64_t count_tensor_bytes(const Model::State& model);

// ValueError if the model exceeds kMostModelBytes.
[[nodiscard]] std::string to_bytes(const Model::State& model);

// For one function.
[[nodiscard]] std::string to_bytes(const FunctionBody& function);

// Writes the model, and `path`.data if tensors are stored separately. Existing files stay until the
// new ones are complete. OSError; ValueError as in to_bytes.
void save(const Model::State& model, const std::string& path);

}  // namespace opwright::onnx
