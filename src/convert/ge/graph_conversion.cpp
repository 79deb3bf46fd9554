#include "opwright/convert/ge/graph_conversion.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/c_api.h"
#include "opwright/convert/call_arguments.h"
#include "opwright/convert/converter.h"
#include "opwright/convert/ge/builder_state.h"
#include "opwright/convert/ge/builtin_prototypes.h"
#include "opwright/convert/ge/graph_builder.h"
#include "opwright/convert/ge/model.h"
#include "opwright/convert/ge/prototype.h"
#include "opwright/convert/ge/rules.h"
#include "opwright/convert/sizes.h"
#include "opwright/convert/trace_choice.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/ir/passes/input_write.h"
#include "opwright/schema/schema.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/transforms/trace/trace.h"
#include "opwright/value.h"
#include "opwright/vendor/ge_types.h"

namespace opwright::graph_engine {
namespace {

class BuiltinConverter final : public GeConverter {
 public:
  explicit BuiltinConverter(const BuiltinRule& rule) : GeConverter(true), rule_(rule) {}
  [[nodiscard]] GeValues convert(GraphBuilder& g, const Call& call) const override {
    return rule_.convert(g, call, rule_.op_name);
  }

 private:
  const BuiltinRule& rule_;
};

void register_builtin() {
  register_builtin_prototypes();
  for (const RuleFamily family : kRuleFamilies) {
    for (const BuiltinRule& each : family())
      register_converter(each.op, make_intrusive<BuiltinConverter>(each)).keep();
  }
}

const AddedEngine kAdded({kEngine, &register_builtin});

class Conversion {
 public:
  Conversion(const GraphPtr& program, const ConversionOptions& options) : options_(options) {
    graph_.name = options.name;
    graph_.program = program;
    graph_.values.resize(program->num_value_numbers());
  }

  GeGraphPtr run() {
    for (const Node* node = graph_.program->first(); node; node = node->next()) {
      if (node->kind() == NodeKind::Input) add_input(*node);
      if (node->kind() == NodeKind::Call) convert_call(*node);
    }
    add_outputs();
    state_.remove_unused();
    return std::make_shared<const GeGraph>(std::move(graph_));
  }

 private:
  void add_input(const Node& node) {
    const GraphValue& value = node.values().front();
    if (options_.holds_constants && node.bound().is_defined()) {
      set_value(value, g_.constant(node.bound()));
      return;
    }
    GeOp op{.name = value.name(), .type = "Data"};
    const auto index = static_cast<int64_t>(graph_.inputs.size());
    op.attributes.push_back({"index", AttributeKind::Int, Value(index)});
    op.output_descriptors.push_back({.name = "y"});
    const uint32_t place = state_.add(std::move(op));
    graph_.inputs.push_back(place);
    set_value(value, {place, 0});
    state_.describe_op(place);
  }

  // Sets the output for a value of the program, and what is known about it.
  void set_value(const GraphValue& of, OutputPlace value) {
    graph_.values[of.number()] = value;
    if (!value.is_there()) return;
    if (const Tensor tensor = of.tensor(); tensor.is_defined()) {
      const std::vector<SymInt> sizes = sym_sizes_of(tensor);
      state_.type_of(value) = {tensor.dtype(), sizes};
      state_.bind_symbols(value, sizes);
    } else {
      state_.type_of(value) = {DType::Int64, {}};
      if (of.meta().tag() == kOpwSymInt)
        state_.bind_symbol(value, ValueOf<SymInt>::read(of.meta().get()), -1);
    }
  }

  void convert_call(const Node& node) {
    if (writes_input(node)) {
      const OutputPlace value = graph_.values[node.args()[1].value().number()];
      graph_.values[node.values().front().number()] = value;
      graph_.writes.push_back({graph_.values[node.args()[0].value().number()].op, value});
      return;
    }
    state_.call = static_cast<uint32_t>(graph_.calls.size());
    state_.line = node.site().is_known() ? node.site().text() : std::string();
    graph_.calls.push_back({.node = &node});
    try {
      const GeValues made = apply(node);
      OPWRIGHT_CHECK_VALUE(
          made.size() == node.values().size(), name_call(node), ": its GE converter gave ",
          made.size(), made.size() == 1 ? " value" : " values", ", but the call has ",
          node.values().size(), "\n  A converter returns one ge.Tensor for each result.");
      for (size_t i = 0; i < made.size(); ++i) set_value(node.values()[i], made[i]);
      graph_.calls.back().results = made;
      check_ops(graph_.calls.back());
    } catch (Error& error) {
      // Most name it themselves.
      if (std::string_view(error.what()).find(node.op().name()) == std::string_view::npos)
        error.add_note("ge", concatenate("while ", name_call(node), " was converted to GE"));
      throw;
    }
    state_.call = kNoPlace;
    state_.line.clear();
  }

  GeValues apply(const Node& node) {
    for (const NodeArgument& argument : node.args()) {
      argument.visit_values([&](const GraphValue& value) {
        OPWRIGHT_CHECK_KIND("NotImplementedError", graph_.values[value.number()].is_there(),
                            name_call(node), ": it reads result ", value.index(), " of ",
                            name_call(value.node()), ", which its GE converter does not return");
      });
    }
    const auto [place, is_new] = found_.try_emplace(&node.op());
    if (is_new) place->second = find_converter(node.op(), kEngine, 0);
    const FoundConverter& found = place->second;
    const Call call(g_, node, graph_.values);
    if (found.rule) return static_cast<const GeConverter&>(*found.rule).convert(g_, call);
    if (found.node_text) return convert_by_text(g_, call, *found.node_text);
    const OperatorName& name = node.op().schema().name;
    throw_error("NotImplementedError", name_call(node), ": it has no converter for GE",
                "\n  Register one with opwright.ge.register_fx_node_ge_converter(opwright.ops.",
                name.name_space, ".", name.base, ".",
                name.overload.empty() ? "default" : name.overload,
                "), or, where it is one op, in C++ with m.register_converter(\"", name.base,
                "\", \"ge\", \"OpName(...)\").");
  }

  // Checked again, now that the dtypes of outputs are known.
  void check_ops(const SourceCall& call) {
    for (const uint32_t place : call.ops) {
      state_.describe_op(place);
      if (const PrototypePtr prototype = find_prototype(graph_.ops[place].type))
        check_op(*prototype, graph_.ops[place]);
    }
  }

  void add_outputs() {
    GeOp op{.name = {}, .type = "NetOutput"};
    const auto read = [&](OutputPlace value) {
      op.input_descriptors.push_back({.name = concatenate("input", op.inputs.size())});
      op.inputs.push_back(value);
    };
    for (const NodeArgument& output : graph_.program->outputs()) {
      graph_.outputs.push_back(output_of(output));
      if (graph_.outputs.back().is_there()) read(graph_.outputs.back());
    }
    for (const InputWrite& write : graph_.writes) read(write.value);
    (void)state_.add(std::move(op));
    for (uint32_t place = 0; place < graph_.ops.size(); ++place) state_.describe_op(place);
  }

  OutputPlace output_of(const NodeArgument& output) {
    if (output.kind() == NodeArgument::Kind::Value) {
      const GraphValue& value = output.value();
      OPWRIGHT_CHECK_KIND("NotImplementedError", graph_.values[value.number()].is_there(),
                          "GE: the program returns result ", value.index(), " of ",
                          name_call(value.node()), ", which its GE converter does not return");
      return graph_.values[value.number()];
    }
    const OpwValue& constant = output.constant().get();
    if (constant.tag == kOpwNone) return {};
    const DType dtype = constant.tag == kOpwFloat  ? DType::Float64
                        : constant.tag == kOpwBool ? DType::Bool
                                                   : DType::Int64;
    return g_.scalar(constant, dtype);
  }

  const ConversionOptions& options_;
  GraphBuilder::State state_;
  GeGraph& graph_ = state_.graph;
  GraphBuilder g_{state_};
  std::unordered_map<const Operator*, FoundConverter> found_;
};

}  // namespace

TraceOptions trace_options() { return choose_trace(kEngine, 0); }

GeGraphPtr convert_graph(const GraphPtr& program, const ConversionOptions& options) {
  return Conversion(program, options).run();
}

}  // namespace opwright::graph_engine
