// An ONNX model in memory, as written by model_bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/runtime/onnx.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright::onnx {

// The TensorProto number of a dtype.
[[nodiscard]] OPWRIGHT_EXPORT int32_t element_type(DType dtype);

// A dimension: its size, or its name if it is dynamic.
struct Dimension {
  int64_t size = 0;
  std::string name = {};  // empty: has `size`
};

// The type of a value.
struct ValueInfo {
  std::string name;
  DType dtype = DType::Float32;
  std::vector<Dimension> dims = {};
};

struct OnnxNode {
  std::string domain;  // empty: ONNX's own
  std::string type;
  std::vector<std::string> inputs;  // empty: omitted
  std::vector<std::string> outputs;
  std::vector<Attribute> attributes;
  std::string name = {};
  std::string doc = {};  // the user's line
};

struct Initializer {
  std::string name;
  Tensor data;
};

struct GraphBody {
  std::string name;
  std::vector<ValueInfo> inputs = {};
  std::vector<ValueInfo> outputs = {};
  std::vector<ValueInfo> values = {};  // of all other values
  std::vector<Initializer> initializers = {};
  std::vector<OnnxNode> nodes = {};
};

using OpsetImports = std::vector<std::pair<std::string, int64_t>>;

struct FunctionBody {
  std::string domain;
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<OnnxNode> nodes;
  OpsetImports opsets;
};

struct Model::State {
  GraphBody graph;
  OpsetImports opsets;
  std::vector<FunctionBody> functions = {};
  std::vector<std::pair<std::string, std::string>> metadata = {};
  std::string doc = {};
  std::optional<bool> external_data = std::nullopt;
};

// The oldest version of the file format that supports the opset.
[[nodiscard]] int64_t ir_version(int64_t opset);

// One line per node, value and initializer.
[[nodiscard]] std::string to_text(const Model::State& model);

}  // namespace opwright::onnx
