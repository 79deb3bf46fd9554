#include "opwright/convert/onnx/exporter.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "opwright/convert/onnx/graph_conversion.h"
#include "opwright/convert/onnx/model/builder_state.h"
#include "opwright/convert/onnx/model/call_state.h"
#include "opwright/convert/onnx/model/model.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/runtime/onnx.h"
#include "opwright/tensor.h"

namespace opwright::onnx {
namespace {

void check_options(const ModelOptions& options) {
  OPWRIGHT_CHECK_VALUE(options.opset >= kOldestOpset && options.opset <= kNewestOpset,
                       "ONNX: opset ", options.opset, " is not written; opsets ", kOldestOpset,
                       " to ", kNewestOpset, " are");
}

class Exporter {
 public:
  explicit Exporter(const ModelRequest& request)
      : request_(request), conversion_(request.options), state_(conversion_.state()) {
    state_.shape_env = request.graph.shape_env();
    state_.scope = &scope_;
  }

  Model::State run() {
    // User-visible names come first, so that no other value takes them.
    for (const ModelInput& input : request_.inputs) add_input(input);
    for (const ModelOutput& output : request_.outputs) reserve(output.name);
    conversion_.convert_calls(request_.graph, values_);
    for (const ModelOutput& output : request_.outputs) add_output(output);
    return finish();
  }

 private:
  void add_input(const ModelInput& input) {
    const bool is_reserved = input.stored.is_defined() && !input.is_given;
    OPWRIGHT_CHECK_VALUE(is_reserved || !state_.names.contains(input.name),
                         "ONNX: the input name '", input.name, "' occurs twice");
    const OnnxValue value = state_.add(
        {.name = state_.unused_name(input.name), .data = input.stored, .is_named = true});
    conversion_.set_value(values_, *input.value, value);
    if (input.stored.is_defined()) scope_.initializers.push_back(value);
    if (!input.stored.is_defined() || input.is_given) inputs_.push_back(value);
  }

  void reserve(const std::string& name) {
    OPWRIGHT_CHECK_VALUE(state_.names.insert(name).second, "ONNX: the name '", name,
                         "' of an output is that of another input or output");
  }

  // An output of a node under that name: an input, a constant or an existing output gets a node.
  void add_output(const ModelOutput& output) {
    state_.label = output.name;
    OnnxValue value = conversion_.read(output.value, values_);
    OPWRIGHT_CHECK_VALUE(value.is_there(), "ONNX: the output '", output.name,
                         "' is a result that its operator's rule does not return");
    const bool is_taken = std::ranges::find(outputs_, value) != outputs_.end();
    if (!state_.at(value).is_output || state_.at(value).is_fixed || is_taken) {
      const KnownValue known = state_.at(value);
      value = conversion_.builder().op("Identity", {value});
      state_.at(value).dtype = known.dtype;
      state_.at(value).sizes = known.sizes;
    }
    KnownValue& known = state_.at(value);
    known.name = output.name;
    known.is_named = true;
    outputs_.push_back(value);
  }

  Model::State finish() {
    state_.remove_unused(scope_, outputs_);
    Model::State model;
    for (const OnnxValue value : scope_.initializers) {
      KnownValue& known = state_.at(value);
      if (known.name.empty()) known.name = state_.unused_name("constant");
    }
    model.graph.name = request_.name;
    const std::set<OnnxValue, IndexOrder> shown(outputs_.begin(), outputs_.end());
    OnnxValues inner;
    for (const PendingNode& node : scope_.nodes) {
      for (const OnnxValue value : node.outputs) {
        if (!shown.contains(value)) inner.push_back(value);
      }
    }
    std::set<std::string> domains;
    for (const PendingNode& node : scope_.nodes) domains.insert(node.domain);
    model.graph.nodes = state_.finish_nodes(scope_);
    for (const OnnxValue value : inputs_) model.graph.inputs.push_back(state_.describe(value));
    for (const OnnxValue value : outputs_) model.graph.outputs.push_back(state_.describe(value));
    for (const OnnxValue value : inner) {
      const KnownValue& known = state_.at(value);
      if (known.dtype && known.sizes) model.graph.values.push_back(state_.describe(value));
    }
    for (const OnnxValue value : scope_.initializers) {
      const KnownValue& known = state_.at(value);
      model.graph.initializers.push_back({.name = known.name, .data = known.data});
    }
    model.functions = conversion_.take_functions();
    for (const FunctionBody& function : model.functions) {
      domains.insert(function.domain);
      for (const auto& [domain, version] : function.opsets) domains.insert(domain);
    }
    model.opsets = conversion_.imports(domains);
    model.metadata = request_.options.metadata;
    if (std::string operators = conversion_.operator_lines(); !operators.empty())
      model.metadata.emplace_back(kOperatorsKey, std::move(operators));
    model.doc = request_.options.doc;
    model.external_data = request_.options.external_data;
    return model;
  }

  struct IndexOrder {
    bool operator()(OnnxValue a, OnnxValue b) const { return a.index() < b.index(); }
  };

  const ModelRequest& request_;
  GraphConversion conversion_;
  GraphBuilder::State& state_;
  BodyScope scope_;
  OnnxValues values_ = OnnxValues(request_.graph.num_value_numbers());
  OnnxValues inputs_;
  OnnxValues outputs_;
};

}  // namespace

Model::State convert_graph(const ModelRequest& request) {
  check_options(request.options);
  return Exporter(request).run();
}

}  // namespace opwright::onnx
