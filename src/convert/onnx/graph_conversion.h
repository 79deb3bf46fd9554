// Converts the calls of a graph to nodes, for the model's graph and its functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "opwright/convert/converter.h"
#include "opwright/convert/onnx/model/builder_state.h"
#include "opwright/convert/onnx/model/model.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/runtime/onnx.h"

namespace opwright::onnx {

// The metadata entry that maps the model's custom nodes to operators: "cst::dual_residual =
// rknn_cst::cstDualResidual(x, y, alpha=alpha)", one line each.
inline constexpr const char* kOperatorsKey = "opwright.operators";

class GraphConversion {
 public:
  explicit GraphConversion(const ModelOptions& options);

  [[nodiscard]] GraphBuilder::State& state() noexcept { return state_; }
  [[nodiscard]] GraphBuilder& builder() noexcept { return builder_; }

  // Sets the model's value for a value of the program: its type, its symbols, its name if it has
  // none.
  void set_value(OnnxValues& values, const GraphValue& of, OnnxValue value);
  // Adds the nodes of all calls; `values` is indexed by the graph's value numbers and has its
  // inputs.
  void convert_calls(const Graph& graph, OnnxValues& values);
  // The model's value for an output of the graph.
  [[nodiscard]] OnnxValue read(const NodeArgument& argument, const OnnxValues& values);

  [[nodiscard]] std::vector<FunctionBody> take_functions() { return std::move(functions_); }
  [[nodiscard]] OpsetImports imports(const std::set<std::string>& domains) const;
  [[nodiscard]] std::string operator_lines() const;

 private:
  void convert_call(const Node& node, OnnxValues& values);
  [[nodiscard]] OnnxValues apply(const Node& node, const Call& call);
  [[nodiscard]] OnnxValues apply_found(const Node& node, const Call& call);
  [[noreturn]] void refuse(const Node& node) const;
  // The call on pairs of reals, if it has complex tensors and a rule for them.
  [[nodiscard]] std::optional<OnnxValues> apply_to_pairs(const Node& node, const Call& call);
  // NotImplementedError if the call reads one.
  void check_no_pairs(const Node& node, const Call& call) const;
  [[nodiscard]] bool is_pair(OnnxValue value) const;
  // A call of the function that the operator becomes for such arguments.
  [[nodiscard]] OnnxValues call_function(const Node& node, const Call& call);
  [[nodiscard]] FunctionBody make_function(const Node& node);
  // The name of an equal function of the model, otherwise of this one, which is added.
  [[nodiscard]] std::string find_or_add(FunctionBody function);

  const ModelOptions& options_;
  GraphBuilder::State state_;
  GraphBuilder builder_{state_};
  std::unordered_map<const Operator*, FoundConverter> found_;
  std::vector<FunctionBody> functions_;
  std::map<std::string, std::string> function_names_;  // by operator, types and constants
  std::vector<std::string> lines_;
  std::set<uint32_t> pairs_;  // indices of the values that are complex numbers as pairs of reals
};

}  // namespace opwright::onnx
