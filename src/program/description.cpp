// The text of a program: what it takes and gives, what it demands, what it calls.
#include <cstdint>
#include <string>
#include <string_view>

#include "opwright/base/source_site.h"
#include "opwright/error.h"
#include "opwright/ir/graph.h"
#include "opwright/ir/node_text.h"
#include "opwright/program/exported_program.h"
#include "opwright/program/signature.h"

namespace opwright {
namespace {

const char* name_of(InputKind kind) {
  switch (kind) {
    case InputKind::UserInput:
      return "input";
    case InputKind::Parameter:
      return "parameter";
    case InputKind::Buffer:
      return "buffer";
    case InputKind::ConstantTensor:
      return "constant";
    case InputKind::RandomState:
      return "random state";
  }
  return "";
}

const char* name_of(OutputKind kind) {
  switch (kind) {
    case OutputKind::UserOutput:
      return "output";
    case OutputKind::BufferMutation:
      return "buffer";
    case OutputKind::ParameterMutation:
      return "parameter";
    case OutputKind::UserInputMutation:
      return "input";
  }
  return "";
}

std::string meta_of(const Graph& graph, std::string_view name) {
  const GraphValue* value = graph.find(name);
  return value ? ": " + meta_text(value->meta()) : std::string();
}

std::string constant_text(const Value& constant) {
  std::string text;
  append_constant_text(text, constant.get());
  return text;
}

std::string bound_text(int64_t bound) {
  if (bound == INT64_MAX) return "inf";
  return bound == INT64_MIN ? "-inf" : concatenate(bound);
}

void append_inputs(std::string& text, const ExportedProgram& program) {
  for (const InputSpec& spec : program.signature().inputs) {
    text += concatenate("  ", name_of(spec.kind), " ", spec.target);
    text += spec.value.empty() ? " = " + constant_text(spec.constant)
                               : meta_of(program.graph(), spec.value);
    const bool is_left_out = spec.kind == InputKind::Buffer && !spec.is_persistent;
    text += is_left_out ? ", not in the state_dict\n" : "\n";
  }
}

void append_outputs(std::string& text, const ExportedProgram& program) {
  for (const OutputSpec& spec : program.signature().outputs) {
    if (spec.kind != OutputKind::UserOutput) {
      text +=
          concatenate("  writes ", name_of(spec.kind), " ", spec.target, " = %", spec.value, "\n");
    } else if (spec.value.empty()) {
      text += concatenate("  output ", constant_text(spec.constant), "\n");
    } else {
      text += concatenate("  output ", spec.value, meta_of(program.graph(), spec.value), "\n");
    }
  }
}

void append_constraints(std::string& text, const ExportedProgram& program) {
  for (const RangeConstraint& constraint : program.range_constraints()) {
    text += concatenate("  size ", constraint.symbol, " in [", bound_text(constraint.range.least),
                        ", ", bound_text(constraint.range.greatest), "]\n");
  }
  for (const Guard& guard : program.guards()) {
    const SourceSite line = guard.user.is_known() ? guard.user : guard.asked;
    text +=
        concatenate("  needs ", guard.condition, line.is_known() ? "  # " + line.text() : "", "\n");
  }
}

}  // namespace

std::string to_text(const ExportedProgram& program) {
  std::string text = "program\n";
  append_inputs(text, program);
  append_outputs(text, program);
  append_constraints(text, program);
  for (const OperatorUse& use : program.operators()) {
    text += concatenate("  calls ", use.schema, use.library.empty() ? "" : " from " + use.library,
                        "\n");
  }
  return text + to_text(program.graph());
}

}  // namespace opwright
