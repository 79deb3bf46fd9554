#include "opwright/convert/onnx/graph_conversion.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/convert/converter.h"
#include "opwright/convert/onnx/model/builder_state.h"
#include "opwright/convert/onnx/model/call_state.h"
#include "opwright/convert/onnx/model/model.h"
#include "opwright/convert/onnx/model/node_form.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/onnx_converter.h"
#include "opwright/convert/onnx/rules/rules.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/property.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/ir/passes/input_write.h"
#include "opwright/runtime/onnx.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::onnx {
namespace {

bool is_complex_value(const GraphValue& value) {
  const Tensor tensor = value.tensor();
  return tensor.is_defined() && is_complex(tensor.dtype());
}

[[noreturn]] void refuse_complex(const Node& node, const Tensor& tensor) {
  throw_error("NotImplementedError", name_call(node),
              ": ONNX has no operators on complex numbers (", tensor.dtype(),
              ")\n  Compute with real and imaginary parts, or give the operator a symbolic.");
}

// No opset has complex arithmetic, and there is no bfloat16 before 13.
void check_dtypes(const Node& node, int64_t opset) {
  const auto check = [&](const GraphValue& value) {
    const Tensor tensor = value.tensor();
    if (!tensor.is_defined()) return;
    if (is_complex(tensor.dtype())) refuse_complex(node, tensor);
    OPWRIGHT_CHECK_KIND("NotImplementedError", opset >= 13 || tensor.dtype() != DType::BFloat16,
                        name_call(node), ": ONNX opset ", opset,
                        " has no operators on bfloat16\n  Export with opset_version=13 or newer.");
  };
  for (const NodeArgument& argument : node.args()) argument.visit_values(check);
  for (const GraphValue& value : node.values()) check(value);
}

}  // namespace

GraphConversion::GraphConversion(const ModelOptions& options) : options_(options) {
  state_.opset = options.opset;
}

void GraphConversion::set_value(OnnxValues& values, const GraphValue& of, OnnxValue value) {
  values[of.number()] = value;
  if (!value.is_there()) return;
  KnownValue& known = state_.at(value);
  if (known.data.is_defined() && known.sizes) return;  // a constant, which may be shared
  if (const Tensor tensor = of.tensor(); tensor.is_defined()) {
    known.dtype = is_pair(value) ? real_dtype_of(tensor.dtype()) : tensor.dtype();
    known.sizes = sym_sizes_of(tensor);
    if (is_pair(value)) known.sizes->emplace_back(2);
    state_.bind_symbols(value, *known.sizes);
  } else {
    known.dtype = DType::Int64;
    known.sizes = std::vector<SymInt>();
    if (of.meta().tag() == kOpwSymInt)
      state_.bind_symbol(value, ValueOf<SymInt>::read(of.meta().get()));
  }
  if (known.is_output) state_.name(value, of.name());
}

void GraphConversion::convert_calls(const Graph& graph, OnnxValues& values) {
  for (const Node* node = graph.first(); node; node = node->next()) {
    if (node->kind() == NodeKind::Call) convert_call(*node, values);
  }
}

void GraphConversion::convert_call(const Node& node, OnnxValues& values) {
  if (writes_input(node)) {
    values[node.values().front().number()] = values[node.args()[1].value().number()];
    return;
  }
  state_.label =
      node.values().empty() ? node.op().schema().name.base : node.values().front().name();
  state_.site = node.site();
  Call::State state{builder_, node, values, this};
  const Call call(state);
  const size_t num_nodes = state_.scope->nodes.size();
  const OnnxValues made = apply(node, call);
  OPWRIGHT_CHECK_VALUE(
      made.size() == node.values().size(), name_call(node), ": its ONNX rule gave ", made.size(),
      made.size() == 1 ? " value" : " values", ", but the call has ", node.values().size(),
      "\n  A symbolic returns one value for each result: "
      "g.op(..., outputs=",
      node.values().size(), ").");
  // A single node of another domain may be the operator itself: a runtime can look it up.
  const bool is_own = !is_builtin(node.op()) && state_.scope->nodes.size() == num_nodes + 1 &&
                      !state_.scope->nodes.back().domain.empty() &&
                      state_.scope->nodes.back().outputs == made;
  if (is_own && !state_.scope->is_function) {
    if (const auto form = find_form(call, state_.scope->nodes.back())) {
      std::string line = concatenate(node.op().name(), " = ", to_text(*form, node.op()));
      if (std::ranges::find(lines_, line) == lines_.end()) lines_.push_back(std::move(line));
    }
  }
  for (size_t i = 0; i < made.size(); ++i) set_value(values, node.values()[i], made[i]);
}

OnnxValues GraphConversion::apply(const Node& node, const Call& call) {
  try {
    for (const NodeArgument& argument : node.args()) {
      argument.visit_values([&](const GraphValue& value) {
        OPWRIGHT_CHECK_KIND("NotImplementedError", call.state().values[value.number()].is_there(),
                            name_call(node), ": it reads result ", value.index(), " of ",
                            name_call(value.node()), ", which its ONNX rule does not return");
      });
    }
    const auto& functions = options_.functions;
    if (std::ranges::find(functions, node.op().name()) != functions.end()) {
      check_no_pairs(node, call);
      return call_function(node, call);
    }
    return apply_found(node, call);
  } catch (Error& error) {
    // Most name it themselves.
    if (std::string_view(error.what()).find(node.op().name()) == std::string_view::npos) {
      error.add_note("onnx", concatenate("while ", name_call(node), " was converted to ONNX opset ",
                                         state_.opset));
    }
    throw;
  }
}

OnnxValues GraphConversion::apply_found(const Node& node, const Call& call) {
  const auto [place, is_new] = found_.try_emplace(&node.op());
  if (is_new) place->second = find_converter(node.op(), kEngine, state_.opset);
  const FoundConverter& found = place->second;
  const bool is_given = found.node_text || (found.rule && !found.rule->is_builtin());
  if (!is_given) {
    if (auto made = apply_to_pairs(node, call)) return *std::move(made);
  }
  check_no_pairs(node, call);
  if (found.rule && found.rule->is_builtin()) check_dtypes(node, state_.opset);
  if (found.rule) return static_cast<const OnnxConverter&>(*found.rule).convert(builder_, call);
  if (found.node_text)
    return add_node(builder_, call, parse_node_form(*found.node_text, node.op()));
  if (!is_builtin(node.op())) return add_node(builder_, call, default_form(node.op()));
  refuse(node);
}

bool GraphConversion::is_pair(OnnxValue value) const {
  return value.is_there() && pairs_.contains(value.index());
}

std::optional<OnnxValues> GraphConversion::apply_to_pairs(const Node& node, const Call& call) {
  bool has_complex = false;
  bool are_pairs = true;
  for (const NodeArgument& argument : node.args()) {
    argument.visit_values([&](const GraphValue& value) {
      if (!is_complex_value(value)) return;
      has_complex = true;
      are_pairs &= is_pair(call.state().values[value.number()]);
    });
  }
  const bool makes_complex = std::ranges::any_of(node.values(), &is_complex_value);
  const Rule rule = has_complex || makes_complex ? find_complex_rule(node.op().name()) : nullptr;
  if (!rule || !are_pairs) return std::nullopt;
  OnnxValues made = rule(builder_, call);
  if (makes_complex) pairs_.insert(made.front().index());
  return made;
}

void GraphConversion::check_no_pairs(const Node& node, const Call& call) const {
  for (const NodeArgument& argument : node.args()) {
    argument.visit_values([&](const GraphValue& value) {
      if (is_pair(call.state().values[value.number()])) refuse_complex(node, value.tensor());
    });
  }
}

void GraphConversion::refuse(const Node& node) const {
  const std::string& name = node.op().name();
  const auto later = find_later_version(node.op(), kEngine, state_.opset, kNewestOpset);
  const std::string advice =
      later ? concatenate("it has one from opset ", *later,
                          " on: export with opset_version=", *later, " or newer")
            : concatenate(
                  "no opset has one: register your own with "
                  "opwright.onnx.register_custom_op_symbolic(\"",
                  name, "\", symbolic, ", state_.opset, ")");
  throw_error("NotImplementedError", name_call(node), ": it has no rule for ONNX opset ",
              state_.opset, "\n  ", advice);
}

OnnxValue GraphConversion::read(const NodeArgument& argument, const OnnxValues& values) {
  if (argument.kind() == NodeArgument::Kind::Value) {
    const OnnxValue value = values[argument.value().number()];
    OPWRIGHT_CHECK_KIND("NotImplementedError", !is_pair(value), "onnx.export: '",
                        argument.value().name(),
                        "' is complex, and ONNX computes with pairs of reals; return "
                        "view_as_real of it");
    return value;
  }
  const OpwValue& constant = argument.constant().get();
  OnnxValue value;
  if (constant.tag == kOpwSymInt) {
    value = builder_.size(ValueOf<SymInt>::read(constant));
  } else {
    value = builder_.scalar(constant, constant.tag == kOpwFloat  ? DType::Float64
                                      : constant.tag == kOpwBool ? DType::Bool
                                                                 : DType::Int64);
  }
  return value;
}

OpsetImports GraphConversion::imports(const std::set<std::string>& domains) const {
  OpsetImports imports{{"", state_.opset}};
  for (const std::string& domain : domains) {
    if (domain.empty()) continue;
    int64_t version = 1;
    for (const auto& [given, wanted] : options_.domain_versions) {
      if (given == domain) version = wanted;
    }
    imports.emplace_back(domain, version);
  }
  return imports;
}

std::string GraphConversion::operator_lines() const {
  std::string text;
  for (const std::string& line : lines_) {
    if (!text.empty()) text += '\n';
    text += line;
  }
  return text;
}

}  // namespace opwright::onnx
