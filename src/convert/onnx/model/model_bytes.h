// A model as bytes, and its large tensors in a file of their own.
#pragma once

#include <cstdint>
#include <string>

#include "opwright/convert/onnx/model/model.h"

namespace opwright::onnx {

// No message of protocol buffers may be larger.
inline constexpr uint64_t kMostModelBytes = (uint64_t{1} << 31) - 1;

// The bytes of all tensors, as they stand in the model.
[[nodiscard]] uint64_t count_tensor_bytes(const Model::State& model);

// ValueError for a model above kMostModelBytes.
[[nodiscard]] std::string to_bytes(const Model::State& model);

// Of one function.
[[nodiscard]] std::string to_bytes(const FunctionBody& function);

// Writes the model, and `path`.data where its tensors go apart. What stood there stays until the
// new files are whole. OSError; ValueError as to_bytes.
void save(const Model::State& model, const std::string& path);

}  // namespace opwright::onnx
