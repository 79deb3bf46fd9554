#include "opwright/program/export/output_specs.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/random_input.h"
#include "opwright/program/export/signature.h"

namespace opwright {
namespace {

OutputKind kind_of_write(InputKind written) {
  switch (written) {
    case InputKind::Parameter:
      return OutputKind::ParameterMutation;
    case InputKind::UserInput:
      return OutputKind::UserInputMutation;
    default:
      return OutputKind::BufferMutation;
  }
}

// The mutation that a call performs; an empty value if none.
OutputSpec find_mutation(const Node& node, const GraphSignature& signature) {
  static const Operator& copy = Registry::get().require("aten::copy_");
  if (node.kind() != NodeKind::Call || &node.op() != &copy) return {};
  if (node.args()[1].kind() != NodeArgument::Kind::Value) return {};
  const GraphValue& written = node.args()[0].value();
  const auto spec = std::ranges::find(signature.inputs, written.name(), &InputSpec::value);
  if (spec == signature.inputs.end()) return {};
  OutputSpec mutation;
  mutation.kind = kind_of_write(spec->kind);
  mutation.value = node.args()[1].value().name();
  mutation.target = spec->kind == InputKind::UserInput ? spec->value : spec->target;
  return mutation;
}

// The values that the graph returns to its caller, without the states of generators, which come
// last.
std::vector<std::string> returned_values(const Graph& graph) {
  std::vector<std::string> names;
  for (const NodeArgument& output : graph.outputs()) {
    names.push_back(output.kind() == NodeArgument::Kind::Value ? output.value().name() : "");
  }
  const size_t num_states = count_random_states(graph);
  OPWRIGHT_CHECK_VALUE(names.size() >= num_states, "program: the graph returns ", names.size(),
                       " values, fewer than the ", num_states, " states of random numbers");
  names.resize(names.size() - num_states);
  return names;
}

}  // namespace

std::vector<OutputSpec> outputs_of(const Graph& graph, const GraphSignature& before) {
  std::vector<OutputSpec> outputs;
  for (const Node* node = graph.first(); node; node = node->next()) {
    OutputSpec mutation = find_mutation(*node, before);
    if (!mutation.value.empty()) outputs.push_back(std::move(mutation));
  }
  const std::vector<std::string> values = returned_values(graph);
  size_t next = 0;
  for (const OutputSpec& spec : before.outputs) {
    if (spec.kind != OutputKind::UserOutput) continue;
    OutputSpec output = spec;
    if (!spec.value.empty()) {
      OPWRIGHT_CHECK_VALUE(next < values.size(), "program: the graph returns ", values.size(),
                           " values, the signature has more");
      output.value = values[next].empty() ? spec.value : values[next];
      ++next;
    }
    outputs.push_back(std::move(output));
  }
  OPWRIGHT_CHECK_VALUE(next == values.size(), "program: the graph returns ", values.size(),
                       " values, the signature has ", next);
  return outputs;
}

void check_outputs(const Graph& graph, const GraphSignature& signature) {
  const std::vector<OutputSpec> expected = outputs_of(graph, signature);
  OPWRIGHT_CHECK_VALUE(expected.size() == signature.outputs.size(), "program: the graph has ",
                       expected.size(), " outputs, the signature ", signature.outputs.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const OutputSpec& given = signature.outputs[i];
    const bool is_same = given.kind == expected[i].kind && given.value == expected[i].value &&
                         given.target == expected[i].target;
    OPWRIGHT_CHECK_VALUE(is_same, "program: output ", i, " of the signature, '", given.value,
                         "', is not what the graph gives, '", expected[i].value, "'");
  }
}

}  // namespace opwright
