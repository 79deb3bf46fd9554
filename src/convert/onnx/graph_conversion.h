// The calls of a graph as nodes: what the model's graph and its functions share.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "opwright/convert/converter.h"
#include "opwright/convert/onnx/model/builder_state.h"
#include "opwright/convert/onnx/model/model.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/onnx.h"

namespace opwright::onnx {

// The entry of the model's metadata that tells which operators its custom nodes are:
// "cst::dual_residual = rknn_cst::cstDualResidual(x, y, alpha=alpha)", a line each.
inline constexpr const char* kOperatorsKey = "opwright.operators";

class GraphConversion {
 public:
  explicit GraphConversion(const ModelOptions& options);

  [[nodiscard]] GraphBuilder::State& state() noexcept { return state_; }
  [[nodiscard]] GraphBuilder& builder() noexcept { return builder_; }

  // What a value of the program became: its type, its symbols, its name where it has none.
  void set_value(OnnxValues& values, const GraphValue& of, OnnxValue value);
  // Adds the nodes of all calls; `values` is by the number of the graph's values and has its
  // inputs.
  void convert_calls(const Graph& graph, OnnxValues& values);
  // What an output of the graph became.
  [[nodiscard]] OnnxValue read(const NodeArgument& argument, const OnnxValues& values);

  [[nodiscard]] std::vector<FunctionBody> take_functions() { return std::move(functions_); }
  [[nodiscard]] OpsetImports imports(const std::set<std::string>& domains) const;
  [[nodiscard]] std::string operator_lines() const;

 private:
  void convert_call(const Node& node, OnnxValues& values);
  [[nodiscard]] OnnxValues apply(const Node& node, const Call& call);
  [[nodiscard]] OnnxValues apply_found(const Node& node, const Call& call);
  [[noreturn]] void refuse(const Node& node) const;
  // A call of the function that the operator becomes for such arguments.
  [[nodiscard]] OnnxValues call_function(const Node& node, const Call& call);
  [[nodiscard]] FunctionBody make_function(const Node& node);
  // The name of an equal function that the model has, else of this one.
  [[nodiscard]] std::string find_or_add(FunctionBody function);

  const ModelOptions& options_;
  GraphBuilder::State state_;
  GraphBuilder builder_{state_};
  std::unordered_map<const Operator*, FoundConverter> found_;
  std::vector<FunctionBody> functions_;
  std::map<std::string, std::string> function_names_;  // by operator, types and constants
  std::vector<std::string> lines_;
};

}  // namespace opwright::onnx
