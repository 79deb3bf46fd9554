// The state of a GraphBuilder: the values of the model so far, and the bodies that receive nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "opwright/base/source_site.h"
#include "opwright/convert/onnx/model/model.h"
#include "opwright/runtime/onnx.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright::onnx {

// A value. It may get its name late, from the program's value that it turns out to be.
struct KnownValue {
  std::string name = {};
  std::optional<DType> dtype = std::nullopt;
  std::optional<std::vector<SymInt>> sizes = std::nullopt;
  Tensor data = {};        // of a constant
  bool is_output = false;  // of a node
  bool is_named = false;   // by the program or the user; otherwise generated
  bool is_fixed = false;   // a finished body reads it by name
};

struct PendingNode {
  std::string domain;
  std::string type;
  OnnxValues inputs;
  OnnxValues outputs;
  std::vector<Attribute> attributes;
  std::string label;  // the program's value that it belongs to
  SourceSite site;
  OnnxValues captured = {};  // outside values read by the bodies among its attributes
};

// Where the value of a symbol can be read.
struct SymbolPlace {
  OnnxValue value;
  int64_t dim = -1;  // -1: the value itself
};

// The graph, a function, or the body of an If or Loop, which can read outside values.
struct BodyScope {
  BodyScope* outer = nullptr;  // null for the graph and functions
  bool is_function = false;    // has no initializers
  std::vector<PendingNode> nodes = {};
  std::vector<OnnxValue> initializers = {};
  std::unordered_map<std::string, SymbolPlace> symbols = {};
  std::unordered_map<uint32_t, OnnxValue> shapes = {};              // by value: its Shape node
  std::unordered_map<OpwSymWord, OnnxValue> sizes = {};             // int64[1] each
  std::unordered_map<std::string, OnnxValue> small_constants = {};  // by dtype, sizes and bytes
};

struct GraphBuilder::State {
  int64_t opset = kDefaultOpset;
  std::vector<KnownValue> values = {};
  BodyScope* scope = nullptr;
  std::unordered_set<std::string> names = {};
  std::string label = {};  // of the call that is being converted
  SourceSite site = {};
  // Kept alive while the model is made: sizes refer to it.
  ShapeEnvPtr shape_env = nullptr;

  [[nodiscard]] KnownValue& at(OnnxValue value) { return values[value.index()]; }
  OnnxValue add(KnownValue value);
  // `wanted`, with a number appended if it is taken.
  [[nodiscard]] std::string unused_name(std::string_view wanted);
  // Names a value after the program's; a name from the program or the user is kept.
  void name(OnnxValue value, std::string_view wanted);
  // Records that a tensor's symbolic sizes can be read from it.
  void bind_symbols(OnnxValue value, std::span<const SymInt> sizes);
  void bind_symbol(OnnxValue value, const SymInt& symbol);
  // Removes the nodes that nothing in `needed` depends on; returns the outside values and
  // initializers that the rest reads.
  OnnxValues remove_unused(BodyScope& body, std::span<const OnnxValue> needed) const;
  // Nodes with names for all their values.
  [[nodiscard]] std::vector<OnnxNode> finish_nodes(BodyScope& body);
  [[nodiscard]] ValueInfo describe(OnnxValue value);

 private:
  [[nodiscard]] const std::string& fixed_name(OnnxValue value, const BodyScope& body);
};

// Dimensions as shown in a model: numbers, symbols, expressions as text.
[[nodiscard]] std::vector<Dimension> to_dimensions(std::span<const SymInt> sizes);

// The nodes that compute a size, int64[1].
[[nodiscard]] OnnxValue size_in_one(GraphBuilder& g, const SymInt& size);

}  // namespace opwright::onnx
