#include "opwright/program/export/exported_program.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/input_check.h"
#include "opwright/ir/graph/input_plan.h"
#include "opwright/ir/graph/input_words.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/ir/passes/whole_copies.h"
#include "opwright/program/export/output_specs.h"
#include "opwright/run/plan.h"
#include "opwright/schema/constant.h"
#include "opwright/tensor/overlap.h"
#include "opwright/transforms/trace/make_fx.h"

namespace opwright {
namespace {

const NamedTensor* find_tensor(std::span<const NamedTensor> tensors, std::string_view name) {
  const auto found = std::ranges::find(tensors, name, &NamedTensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

using TensorsByName = std::unordered_map<std::string_view, const NamedTensor*>;

TensorsByName tensors_by_name(const ExportedProgram::Parts& parts) {
  TensorsByName tensors;
  for (const NamedTensor& named : parts.state) tensors.emplace(named.name, &named);
  for (const NamedTensor& named : parts.constants) tensors.emplace(named.name, &named);
  return tensors;
}

// The tensor that an input is bound to.
const NamedTensor& require_tensor(const TensorsByName& tensors, const InputSpec& spec) {
  const auto found = tensors.find(spec.target);
  OPWRIGHT_CHECK_VALUE(found != tensors.end(), "program: the input '", spec.value,
                       "' is bound to '", spec.target, "', and the program has no such tensor");
  return *found->second;
}

void check_fits(const GraphValue& input, const NamedTensor& given) {
  const Tensor meta = input.tensor();
  OPWRIGHT_CHECK_VALUE(meta.is_defined() && given.tensor.is_defined(), "program: the input '",
                       input.name(), "' is not a tensor, but is bound to '", given.name, "'");
  const bool fits = meta.dtype() == given.tensor.dtype() && !meta.is_symbolic() &&
                    std::ranges::equal(meta.sizes(), given.tensor.sizes());
  OPWRIGHT_CHECK_VALUE(fits, "program: '", given.name, "' must be ", meta_text(input.meta()),
                       ", got ", given.tensor);
}

bool is_bound(InputKind kind) {
  return kind == InputKind::Parameter || kind == InputKind::Buffer ||
         kind == InputKind::ConstantTensor;
}

InputRole expected_role(const InputSpec& spec, InputRole role) {
  if (spec.kind == InputKind::UserInput) return InputRole::Argument;
  if (spec.kind == InputKind::RandomState) return InputRole::RandomState;
  return role == InputRole::Constant ? role : InputRole::Captured;
}

// Each input of the graph has one spec, in order, of a kind that fits its role.
void bind_inputs(const ExportedProgram::Parts& parts) {
  size_t next = 0;
  const TensorsByName tensors = tensors_by_name(parts);
  const std::vector<InputSpec>& specs = parts.signature.inputs;
  const auto skip_constants = [&] {
    while (next < specs.size() && specs[next].value.empty()) ++next;
  };
  for (GraphValue* input : parts.graph->inputs()) {
    skip_constants();
    OPWRIGHT_CHECK_VALUE(next < specs.size() && specs[next].value == input->name(),
                         "program: the graph's input '", input->name(),
                         "' is not the next one of the signature");
    const InputSpec& spec = specs[next++];
    OPWRIGHT_CHECK_VALUE(input->node().role() == expected_role(spec, input->node().role()),
                         "program: the input '", spec.value,
                         "' has another role in the graph than in the signature");
    if (!is_bound(spec.kind)) continue;
    const NamedTensor& tensor = require_tensor(tensors, spec);
    check_fits(*input, tensor);
    parts.graph->bind_input(*input, tensor.tensor);
  }
  skip_constants();
  OPWRIGHT_CHECK_VALUE(next == specs.size(), "program: the signature has an input '",
                       specs[next].value, "' that the graph does not have");
}

void check_examples(const ExportedProgram::Parts& parts) {
  const auto num_user_inputs = static_cast<size_t>(
      std::ranges::count(parts.signature.inputs, InputKind::UserInput, &InputSpec::kind));
  OPWRIGHT_CHECK_VALUE(
      parts.example_inputs.empty() || parts.example_inputs.size() == num_user_inputs,
      "program: it has ", parts.example_inputs.size(), " example inputs and ", num_user_inputs,
      " inputs");
}

// Constants are compared by kind and value: 1 and True differ in Python, but are the same number to
// an operator.
void check_constant(const InputSpec& spec, const OpwValue& given) {
  if (equal_values(spec.constant.get(), given)) return;
  std::string exported;
  std::string got;
  append_constant_text(exported, spec.constant.get());
  if (given.tag == kOpwTensor) {
    got = "a tensor";
  } else {
    append_constant_text(got, given);
  }
  throw Error("ValueError", concatenate("program: the argument '", spec.target, "' was ", exported,
                                        " when the program was exported and is part of it, got ",
                                        got, "; export again for another value"));
}

std::string names_of(const GraphSignature& signature) {
  std::string names;
  for (const InputSpec& spec : signature.inputs) {
    if (spec.kind != InputKind::UserInput) continue;
    names.append(names.empty() ? "" : ", ").append(spec.target);
  }
  return names;
}

// An input that the program writes must not overlap another one: the export assumed inputs that
// share no memory.
void check_written(std::span<const InputSpec* const> specs, std::span<const OpwValue> given,
                   size_t written) {
  for (size_t i = 0; i < given.size(); ++i) {
    const bool are_tensors = given[i].tag == kOpwTensor && given[written].tag == kOpwTensor;
    if (i == written || !are_tensors) continue;
    const BorrowedTensor a(given[written].as_tensor);
    const BorrowedTensor b(given[i].as_tensor);
    OPWRIGHT_CHECK_VALUE(overlap(a, b) == Overlap::None, "program: the argument '",
                         specs[written]->target, "' is written and shares memory with '",
                         specs[i]->target, "'; give it memory of its own");
  }
}

// Describes inputs in errors in the terms of the call.
InputWordsPtr words_of(const Graph& graph, const GraphSignature& signature) {
  auto* words = new InputWords;
  const InputWordsPtr owner = InputWordsPtr::take(words);
  words->who = "program";
  words->made = "exported";
  for (const InputSpec& spec : signature.inputs) {
    if (spec.value.empty()) continue;
    const char* kind = spec.kind == InputKind::UserInput ? "the argument '" : "'";
    words->names.emplace(graph.find(spec.value)->number(), concatenate(kind, spec.target, "'"));
  }
  return owner;
}

}  // namespace

ExportedProgram::ExportedProgram(Parts parts) : parts_(std::move(parts)) {
  OPWRIGHT_CHECK_VALUE(parts_.graph, "program: it has no graph");
  bind_inputs(parts_);
  check_outputs(*parts_.graph, parts_.signature);
  check_examples(parts_);
  if (parts_.operators.empty()) parts_.operators = operators_of(*parts_.graph);
  parts_.graph->set_input_words(words_of(*parts_.graph, parts_.signature));
  lay_out_calls();
}

const Plan& ExportedProgram::plan() const {
  if (const Plan* ready = ready_plan_.load(std::memory_order_acquire)) return *ready;
  const std::lock_guard lock(mutex_);
  if (!plan_) plan_ = PlanPtr::take(new Plan(parts_.graph));
  ready_plan_.store(plan_.get(), std::memory_order_release);
  return *plan_;
}

// Precomputes what run() needs from the signature.
void ExportedProgram::lay_out_calls() {
  for (const InputSpec& spec : parts_.signature.inputs) {
    if (spec.kind != InputKind::UserInput) continue;
    user_inputs_.push_back(&spec);
    has_constant_inputs_ |= spec.value.empty();
  }
  for (const OutputSpec& spec : parts_.signature.outputs) {
    if (spec.kind == OutputKind::UserOutput) has_constant_outputs_ |= spec.value.empty();
    if (spec.kind != OutputKind::UserInputMutation) continue;
    const auto written = std::ranges::find(user_inputs_, spec.target, &InputSpec::value);
    written_inputs_.push_back(static_cast<size_t>(written - user_inputs_.begin()));
  }
}

std::vector<OpwValue> ExportedProgram::without_constants(std::span<const OpwValue> given) const {
  std::vector<OpwValue> rest;
  for (size_t i = 0; i < given.size(); ++i) {
    if (user_inputs_[i]->value.empty()) {
      check_constant(*user_inputs_[i], given[i]);
    } else {
      rest.push_back(given[i]);
    }
  }
  return rest;
}

std::vector<Value> ExportedProgram::with_constants(std::vector<Value> results) const {
  std::vector<Value> outputs;
  size_t used = 0;
  for (const OutputSpec& spec : parts_.signature.outputs) {
    if (spec.kind != OutputKind::UserOutput) continue;
    Value& output = outputs.emplace_back(spec.constant);
    if (!spec.value.empty()) output = std::move(results[used++]);
  }
  return outputs;
}

void ExportedProgram::check_given(std::span<const OpwValue> user_inputs) const {
  OPWRIGHT_CHECK_TYPE(user_inputs_.size() == user_inputs.size(), "program: it takes ",
                      user_inputs_.size(), " inputs (", names_of(parts_.signature), "), got ",
                      user_inputs.size());
  for (const size_t written : written_inputs_) check_written(user_inputs_, user_inputs, written);
}

void ExportedProgram::check_inputs(std::span<const OpwValue> user_inputs) const {
  check_given(user_inputs);
  InputCheck check(graph());
  const std::vector<Value> inputs = check.collect(without_constants(user_inputs));
  SymbolValues symbols;
  check.bind_inputs(inputs, symbols);
  check.check(inputs, symbols);
}

std::vector<Value> ExportedProgram::run(std::span<const OpwValue> user_inputs,
                                        StepWatch* watch) const {
  check_given(user_inputs);
  std::vector<Value> results = has_constant_inputs_
                                   ? plan().run(without_constants(user_inputs), watch)
                                   : plan().run(user_inputs, watch);
  return has_constant_outputs_ ? with_constants(std::move(results)) : results;
}

std::vector<RangeConstraint> ExportedProgram::range_constraints() const {
  std::vector<RangeConstraint> constraints;
  for (const Symbol& symbol : graph().input_plan()->ranges) {
    constraints.push_back({.symbol = symbol.name, .range = symbol.range});
  }
  return constraints;
}

std::vector<Guard> ExportedProgram::guards() const {
  return graph().shape_env() ? graph().shape_env()->solve().rest : std::vector<Guard>();
}

ExportedProgramPtr ExportedProgram::decompose(std::span<const Operator* const> operators,
                                              bool keeps_composites) const {
  TraceOptions trace;
  trace.keeps_composites = keeps_composites;
  trace.decompose.insert(operators.begin(), operators.end());
  return trace_again(std::move(trace));
}

ExportedProgramPtr ExportedProgram::trace_again(TraceOptions trace) const {
  TraceSessionOptions options;
  options.functional = true;
  options.keeps_custom_whole = true;
  options.trace = std::move(trace);
  Parts parts = parts_;
  // A copy with its own symbols: conditions of the new graph must not become facts of this one.
  const GraphPtr again = parse_graph(to_text(graph()));
  for (GraphValue* input : again->inputs()) {
    const Tensor& bound = graph().find(input->name())->node().bound();
    if (bound.is_defined()) again->bind_input(*input, bound);
  }
  parts.graph = retrace(*again, std::move(options));
  remove_whole_copies(*parts.graph);
  parts.operators.clear();
  parts.signature.outputs = outputs_of(*parts.graph, parts.signature);
  return make_intrusive<ExportedProgram>(std::move(parts));
}

void ExportedProgram::load_state(std::span<const NamedTensor> state) {
  for (const NamedTensor& given : state) {
    OPWRIGHT_CHECK_VALUE(find_tensor(parts_.state, given.name), "program: it has no state '",
                         given.name, "'");
    for (const InputSpec& spec : parts_.signature.inputs) {
      if (!is_bound(spec.kind) || spec.target != given.name) continue;
      check_fits(*parts_.graph->find(spec.value), given);
    }
  }
  const std::lock_guard lock(mutex_);
  for (const NamedTensor& given : state) {
    std::ranges::find(parts_.state, given.name, &NamedTensor::name)->tensor = given.tensor;
  }
  bind_inputs(parts_);
  ready_plan_.store(nullptr, std::memory_order_release);
  plan_ = nullptr;
}

}  // namespace opwright
