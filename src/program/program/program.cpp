// The public C++ classes over ExportedProgram.
#include "opwright/runtime/program.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/grad_mode.h"
#include "opwright/program/export/export_session.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/program_object.h"

namespace opwright {
namespace {

std::string input_name(const ExportOptions& options, size_t index) {
  return index < options.names.size() ? options.names[index] : concatenate("x", index);
}

void check_options(std::span<const Tensor> inputs, const ExportOptions& options) {
  OPWRIGHT_CHECK_VALUE(options.names.size() <= inputs.size(), "export: there are ", inputs.size(),
                       " inputs, got ", options.names.size(), " names");
  for (const ExportOptions::DynamicDim& dynamic : options.dynamic) {
    bool is_there = false;
    for (size_t i = 0; i < inputs.size(); ++i) is_there |= input_name(options, i) == dynamic.input;
    OPWRIGHT_CHECK_VALUE(is_there, "export: a dynamic dimension names the input '", dynamic.input,
                         "', which does not exist");
  }
}

void add_inputs(ExportSession& session, std::span<const Tensor> inputs,
                const ExportOptions& options) {
  for (const ExportOptions::State& state : options.state) {
    session.add_state({state.name, state.tensor},
                      state.is_parameter ? InputKind::Parameter : InputKind::Buffer);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = input_name(options, i);
    std::vector<ExportSession::DimAt> dims;
    for (const ExportOptions::DynamicDim& dynamic : options.dynamic) {
      if (dynamic.input == name) dims.push_back({dynamic.dim, dynamic.size});
    }
    session.add_tensor(inputs[i], name, dims);
  }
}

}  // namespace

Program export_function(std::span<const Tensor> inputs, const ExportOptions& options,
                        ExportedBody body, void* context) {
  check_options(inputs, options);
  ExportSession session;
  add_inputs(session, inputs, options);
  const std::vector<Tensor> own = session.enter();
  std::vector<Tensor> results;
  {
    const InterpreterScope scope(session.level());
    results = body(context, own);
  }
  std::vector<OpwValue> outputs;
  outputs.reserve(results.size());
  for (const Tensor& result : results) outputs.push_back(ValueOf<Tensor>::lend(result));
  return Program(program_value(session.finish(outputs)));
}

namespace {

// Parameters may require grad, but C++ callers cannot get their gradients, so a run is recorded
// only if an input requires grad.
std::vector<Value> run_recording_inputs(const Value& program, std::span<const OpwValue> inputs) {
  const bool has_tracked = std::ranges::any_of(inputs, [](const OpwValue& input) {
    return input.tag == kOpwTensor && (input.as_tensor->flags & kOpwFlagRequiresGrad) != 0;
  });
  std::optional<NoGradScope> no_grad;
  if (!has_tracked && !current_interpreter()) no_grad.emplace();
  return program_of(program.get())->run(inputs);
}

}  // namespace

std::vector<Value> Program::run(std::span<const Value> inputs) const {
  std::vector<OpwValue> given;
  given.reserve(inputs.size());
  for (const Value& input : inputs) given.push_back(input.get());
  return run_recording_inputs(program_, given);
}

std::vector<Tensor> Program::operator()(std::span<const Tensor> inputs) const {
  std::vector<OpwValue> given;
  given.reserve(inputs.size());
  for (const Tensor& input : inputs) given.push_back(ValueOf<Tensor>::lend(input));
  std::vector<Tensor> results;
  for (Value& result : run_recording_inputs(program_, given)) {
    results.push_back(ValueOf<Tensor>::take(result.give()));
  }
  return results;
}

std::vector<std::string> Program::input_names() const {
  std::vector<std::string> names;
  for (const InputSpec& spec : program_of(program_.get())->signature().inputs) {
    if (spec.kind == InputKind::UserInput) names.push_back(spec.target);
  }
  return names;
}

std::vector<std::string> Program::output_names() const {
  std::vector<std::string> names;
  for (const OutputSpec& spec : program_of(program_.get())->signature().outputs) {
    if (spec.kind == OutputKind::UserOutput) names.push_back(spec.value);
  }
  return names;
}

std::string Program::text() const { return to_text(*program_of(program_.get())); }

}  // namespace opwright
