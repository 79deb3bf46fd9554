#include "opwright/program/export/export_session.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/slot.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/passes/dead_code.h"
#include "opwright/ir/passes/whole_copies.h"
#include "opwright/program/export/constraints.h"
#include "opwright/program/export/dim.h"
#include "opwright/program/export/output_specs.h"
#include "opwright/schema/lexer.h"
#include "opwright/symbolic/expression/expression_parser.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/transforms/trace/make_fx.h"
#include "opwright/transforms/trace/trace.h"

namespace opwright {
namespace {

ShapeEnvPtr new_env() { return make_intrusive<ShapeEnv>(ShapeEnvOptions{.duck_shaping = false}); }

// Composites of aten with their own fake kernel: it computes results for any size, whereas the
// body, which goes step by step (lstm), would fix the size.
const std::vector<const Operator*>& sized_composites() {
  static const std::vector<const Operator*> found = [] {
    std::vector<const Operator*> operators = Registry::get().list("aten");
    std::erase_if(operators, [](const Operator* op) {
      return !op->record(Slot::ImplicitComposite) ||
             !Registry::get().own_function(*op, Slot::Fake).function;
    });
    return operators;
  }();
  return found;
}

TraceSessionOptions session_options(ShapeEnvPtr env, TraceOptions trace) {
  TraceSessionOptions options;
  options.mode = TracingMode::Symbolic;
  options.shape_env = std::move(env);
  options.functional = true;
  options.keeps_custom_whole = true;
  options.trace = std::move(trace);
  for (const Operator* op : sized_composites()) {
    if (!options.trace.decompose.contains(op)) options.trace.whole.insert(op);
  }
  return options;
}

// Size 0 is included only on request: it changes the expressions of strides.
SymRange dim_range(const Dim& dim, int64_t given) {
  return {.least = dim.min().value_or(std::min<int64_t>(given, 1)),
          .greatest = dim.max().value_or(INT64_MAX)};
}

// A tensor that the function captures and writes becomes a buffer that no state_dict has.
void keep_written(GraphSignature& signature) {
  for (const OutputSpec& output : signature.outputs) {
    if (output.kind != OutputKind::BufferMutation) continue;
    const auto written = std::ranges::find(signature.inputs, output.target, &InputSpec::target);
    written->kind = InputKind::Buffer;
  }
}

// The program gets its own copy of the tensors that it writes: runs do not modify the exported
// ones.
void own_written(ExportedProgram::Parts& parts) {
  for (const OutputSpec& output : parts.signature.outputs) {
    if (output.kind != OutputKind::BufferMutation) continue;
    Tensor written;
    for (const std::vector<NamedTensor>* list : {&parts.state, &parts.constants}) {
      const auto found = std::ranges::find(*list, output.target, &NamedTensor::name);
      if (found != list->end()) written = found->tensor;
    }
    const Tensor own = clone(detach(written));
    for (std::vector<NamedTensor>* list : {&parts.state, &parts.constants}) {
      for (NamedTensor& each : *list) {
        if (each.tensor.get() == written.get()) each.tensor = own;
      }
    }
  }
}

// "pair[0]": pair_0; "batch[\"mask\"]": batch_mask.
std::string value_name(const std::string& target) {
  std::string name;
  for (const char character : target) {
    const bool is_letter = std::isalnum(static_cast<unsigned char>(character)) != 0;
    if (is_letter || character == '_') {
      name += character;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_' && target.back() != '_') name.pop_back();
  return name.empty() ? "argument" : name;
}

void check_plain(const Tensor& given, const std::string& target) {
  OPWRIGHT_CHECK_TYPE(!impl(given).is_wrapper(), "export: the argument '", target,
                      "' is a tensor of ", impl(given).level->name(),
                      "; export the function outside, and call the program inside");
  OPWRIGHT_CHECK_TYPE((given.get()->flags & kOpwFlagSymbolic) == 0, "export: the argument '",
                      target, "' has symbolic sizes, got ", given,
                      "; give one with plain sizes and Dims");
}

// batch["mask"]: dynamic_shapes["batch"]["mask"]
std::string entry_of(const std::string& target) {
  const size_t end = target.find_first_of(".[");
  const std::string root = target.substr(0, end);
  return concatenate("dynamic_shapes[\"", root, "\"]", target.substr(root.size()));
}

// The symbol name of a Dim: its own, unless expressions use that name otherwise.
std::string unused_name(const ShapeEnv& env, std::string name) {
  const auto is_taken = [&] {
    const std::vector<Symbol> symbols = env.symbols();
    return is_taken_by_the_grammar(name) ||
           std::ranges::find(symbols, name, &Symbol::name) != symbols.end();
  };
  while (is_taken()) name += '_';
  return name;
}

}  // namespace

struct ExportSession::State {
  explicit State(TraceOptions options)
      : env(new_env()), trace(session_options(env, std::move(options))) {}

  // A tensor that the function captures.
  struct Held {
    std::vector<std::string> names;  // several if tied
    Tensor tensor;
    InputKind kind;
    bool is_persistent;
  };
  struct Root {
    Dim dim;
    int64_t given;
    std::string place;
    SymInt symbol;
  };

  [[nodiscard]] SymInt declare(const Dim& dim, int64_t given, const std::string& place,
                               const std::string& source);
  [[nodiscard]] SymInt declare_root(const Dim& dim, int64_t given, const std::string& place,
                                    const std::string& source);
  [[nodiscard]] Held* find_held(const Tensor& tensor);
  void order_inputs(Graph& graph) const;
  void take_noted(Graph& graph, size_t num_outputs);
  void drop_unused_constants(Graph& graph);
  [[nodiscard]] std::vector<InputSpec> describe_inputs(const Graph& graph,
                                                       ExportedProgram::Parts& parts);
  [[nodiscard]] InputSpec describe_bound(const GraphValue& input, ExportedProgram::Parts& parts);

  bool accepts_narrower_sizes = false;
  ShapeEnvPtr env;
  TraceSession trace;
  std::vector<Held> held;
  std::vector<InputSpec> user_inputs;
  std::vector<Value> examples;
  bool has_fakes = false;  // then the program keeps no examples
  std::vector<Tensor> added;
  std::vector<DeclaredSize> declared;
  std::unordered_map<std::string, Root> roots;
  std::unordered_map<const OpwTensor*, std::string> constant_paths;
  std::vector<Tensor> noted;  // copies of them
  std::vector<std::string> noted_names;
};

ExportSession::ExportSession(TraceOptions trace)
    : state_(std::make_unique<State>(std::move(trace))) {}

ExportSession::~ExportSession() = default;

Interpreter* ExportSession::level() const noexcept { return state_->trace.level(); }

// ---- State ----

ExportSession::State::Held* ExportSession::State::find_held(const Tensor& tensor) {
  const auto found =
      std::ranges::find(held, tensor.get(), [](const Held& each) { return each.tensor.get(); });
  return found == held.end() ? nullptr : &*found;
}

void ExportSession::add_state(NamedTensor given, InputKind kind, bool is_persistent) {
  if (State::Held* tied = state_->find_held(given.tensor)) {
    tied->names.push_back(std::move(given.name));
    return;
  }
  Trace& trace = state_->trace.trace();
  trace.name_tensor(given.tensor, given.name);
  state_->held.push_back({{given.name}, given.tensor, kind, is_persistent});
  (void)trace.own(given.tensor);
}

void ExportSession::name_constant(const Tensor& tensor, const std::string& name) {
  state_->constant_paths.emplace(tensor.get(), name);
  state_->trace.trace().name_tensor(tensor, value_name(name));
}

// ---- Sizes ----

// The symbol of a name, created at its first use.
SymInt ExportSession::State::declare_root(const Dim& dim, int64_t given, const std::string& place,
                                          const std::string& source) {
  OPWRIGHT_CHECK_VALUE(is_identifier(dim.name()), "export: '", dim.name(), "', the name of ", place,
                       ", must be an identifier");
  const auto [found, is_new] = roots.try_emplace(dim.name(), Root{dim, given, place, {}});
  Root& root = found->second;
  OPWRIGHT_CHECK_VALUE(root.given == given, "export: the dimension '", dim.name(), "' is ",
                       root.given, " in ", root.place, " and ", given, " in ", place,
                       "; give the two different names, or examples of one size");
  OPWRIGHT_CHECK_VALUE(root.dim.min() == dim.min() && root.dim.max() == dim.max(),
                       "export: ", definition_text(root.dim), " in ", root.place, " and ",
                       definition_text(dim), " in ", place, " have one name and other bounds");
  if (!is_new) return root.symbol;
  const SymRange range = dim_range(dim, given);
  OPWRIGHT_CHECK_VALUE(range.least <= given && given <= range.greatest, "export: the example has ",
                       given, " for ", definition_text(dim), " in ", place);
  root.symbol = env->declare({.name = unused_name(*env, dim.name()),
                              .hint = given,
                              .range = range,
                              .source = source,
                              .made_at = {},
                              .equals = std::nullopt});
  return root.symbol;
}

SymInt ExportSession::State::declare(const Dim& dim, int64_t given, const std::string& place,
                                     const std::string& source) {
  switch (dim.kind()) {
    case Dim::Kind::Static:
      OPWRIGHT_CHECK_VALUE(given >= dim.min().value_or(given) && given <= dim.max().value_or(given),
                           "export: the example has ", given, " for ", to_text(dim), " in ", place);
      return given;
    case Dim::Kind::Auto:
      if (given <= 1) return given;
      [[fallthrough]];
    case Dim::Kind::Dynamic:
      return env->make_backed(given, dim_range(dim, given), source);
    default:
      break;
  }
  int64_t rest = 0;
  const bool overflows = __builtin_sub_overflow(given, dim.offset(), &rest);
  OPWRIGHT_CHECK_VALUE(!overflows && rest % dim.factor() == 0, "export: ", place, " is ", given,
                       ", which does not equal ", to_text(dim));
  const SymInt root = declare_root(dim, rest / dim.factor(), place, source);
  const SymInt size = root * SymInt(dim.factor()) + SymInt(dim.offset());
  if (dim.offset() < 0) env->learn(apply_sym(kOpwSymGe, size, 1));
  return size;
}

// ---- User inputs ----

void ExportSession::add_tensor(const Tensor& given, const std::string& target,
                               std::span<const DimAt> dims) {
  check_plain(given, target);
  std::vector<SymInt> sizes(given.sizes().begin(), given.sizes().end());
  for (const DimAt& at : dims) {
    const size_t dim = wrap_dim(at.dim, sizes.size(), concatenate("export: '", target, "'"));
    const int64_t size = given.sizes()[dim];
    std::string place = concatenate("dimension ", dim, " of '", target, "'");
    sizes[dim] = state_->declare(at.size, size, place, concatenate(target, ".size(", dim, ")"));
    std::string entry = concatenate(entry_of(target), "[", dim, "]");
    state_->declared.push_back({std::move(place), at.size, sizes[dim], size, std::move(entry)});
  }
  const Tensor own = state_->trace.add_tensor(given, value_name(target), sizes);
  state_->added.push_back(own);
  state_->user_inputs.push_back({.kind = InputKind::UserInput,
                                 .value = state_->trace.trace().value_of(own.get()).name(),
                                 .target = target,
                                 .constant = {}});
  state_->examples.emplace_back(given);
  state_->has_fakes |= given.is_fake();
}

SymInt ExportSession::add_int(int64_t given, const std::string& target, const Dim& dim) {
  const SymInt number = state_->declare(dim, given, concatenate("'", target, "'"), target);
  if (!number.is_symbolic()) {
    add_constant(Value(given), target);
    return number;
  }
  state_->declared.push_back({concatenate("'", target, "'"), dim, number, given, entry_of(target)});
  const GraphValue& input =
      state_->trace.trace().graph().add_input(value_name(target), Value(number));
  state_->user_inputs.push_back(
      {.kind = InputKind::UserInput, .value = input.name(), .target = target, .constant = {}});
  state_->examples.emplace_back(given);
  return number;
}

void ExportSession::add_constant(Value constant, const std::string& target) {
  state_->examples.push_back(constant);
  state_->user_inputs.push_back({.kind = InputKind::UserInput,
                                 .value = "",
                                 .target = target,
                                 .constant = std::move(constant)});
}

void ExportSession::accept_narrower_sizes() noexcept { state_->accepts_narrower_sizes = true; }

std::vector<Tensor> ExportSession::enter() { return state_->trace.enter(state_->added); }

// ---- The end ----

// Bound inputs, then those of the caller, then the states of generators.
void ExportSession::State::order_inputs(Graph& graph) const {
  std::vector<GraphValue*> inputs = graph.inputs();
  const auto place = [](const GraphValue* input) {
    switch (input->node().role()) {
      case InputRole::Argument:
        return 1;
      case InputRole::RandomState:
        return 2;
      default:
        return 0;
    }
  };
  std::ranges::stable_sort(inputs, {}, place);
  graph.order_inputs(inputs);
}

InputSpec ExportSession::State::describe_bound(const GraphValue& input,
                                               ExportedProgram::Parts& parts) {
  const Held* known = find_held(input.node().bound());
  const auto named = constant_paths.find(input.node().bound().get());
  const std::string& constant = named == constant_paths.end() ? input.name() : named->second;
  InputSpec spec{.kind = known ? known->kind : InputKind::ConstantTensor,
                 .value = input.name(),
                 .target = known ? known->names.front() : constant,
                 .constant = {}};
  spec.is_persistent = known && known->is_persistent;
  const bool is_state = known && known->is_persistent;
  if (!is_state) parts.constants.push_back({spec.target, input.node().bound()});
  return spec;
}

std::vector<InputSpec> ExportSession::State::describe_inputs(const Graph& graph,
                                                             ExportedProgram::Parts& parts) {
  std::vector<InputSpec> specs;
  std::vector<InputSpec> states;
  for (const GraphValue* input : graph.inputs()) {
    if (input->node().role() == InputRole::RandomState) {
      states.push_back({.kind = InputKind::RandomState,
                        .value = input->name(),
                        .target = "random_state",
                        .constant = {}});
    } else if (input->node().role() != InputRole::Argument) {
      specs.push_back(describe_bound(*input, parts));
    }
  }
  specs.insert(specs.end(), user_inputs.begin(), user_inputs.end());
  specs.insert(specs.end(), states.begin(), states.end());
  for (const Held& each : held) {
    if (!each.is_persistent) continue;
    for (const std::string& name : each.names) parts.state.push_back({name, each.tensor});
  }
  return specs;
}

// A copy, because later writes to the tensor would change a view.
size_t ExportSession::note_value(const Tensor& tensor) {
  state_->noted.push_back(clone(tensor));
  return state_->noted.size() - 1;
}

uint32_t ExportSession::position() const noexcept {
  return state_->trace.trace().graph().num_value_numbers();
}

const std::vector<std::string>& ExportSession::noted_values() const noexcept {
  return state_->noted_names;
}

// Reads the names of the noted values, which the graph returns after `num_outputs` others, and
// removes them from its outputs.
void ExportSession::State::take_noted(Graph& graph, size_t num_outputs) {
  static const Operator& copy = Registry::get().require("aten::clone");
  std::vector<NodeArgument> outputs;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const NodeArgument& output = graph.outputs()[i];
    if (i < num_outputs || i >= num_outputs + noted.size()) {
      outputs.push_back(output);
      continue;
    }
    const Node& node = output.value().node();
    const bool is_copy = node.kind() == NodeKind::Call && &node.op() == &copy;
    noted_names.push_back((is_copy ? node.args()[0].value() : output.value()).name());
  }
  graph.set_outputs(std::move(outputs));
}

// Tensors that the function made from Python's numbers and did not use.
void ExportSession::State::drop_unused_constants(Graph& graph) {
  for (GraphValue* input : graph.inputs()) {
    const InputRole role = input->node().role();
    const bool is_constant = role != InputRole::Argument && role != InputRole::RandomState &&
                             !find_held(input->node().bound());
    if (is_constant && input->users().empty()) graph.erase(input->node());
  }
}

ExportedProgramPtr ExportSession::finish(std::span<const OpwValue> outputs,
                                         CallStructure structure) {
  std::vector<OpwValue> returned;
  std::vector<OutputSpec> user_outputs;
  for (const OpwValue& output : outputs) {
    OutputSpec spec;
    const bool is_symbol = output.tag == kOpwSymInt && is_symbolic(output.as_int);
    if (output.tag == kOpwTensor || is_symbol) {
      returned.push_back(output);
      spec.value = is_symbol ? concatenate(SymInt::borrow(output.as_int)) : "tensor";
    } else {
      spec.constant = Value::copy_of(output);
    }
    user_outputs.push_back(std::move(spec));
  }
  ExportedProgram::Parts parts;
  const size_t num_outputs = returned.size();
  for (const Tensor& tensor : state_->noted) returned.push_back(ValueOf<Tensor>::lend(tensor));
  parts.graph = state_->trace.finish(returned);
  remove_whole_copies(*parts.graph);
  state_->take_noted(*parts.graph, num_outputs);
  remove_dead_code(*parts.graph);
  state_->drop_unused_constants(*parts.graph);
  if (!state_->accepts_narrower_sizes) check_constraints(*state_->env, state_->declared);
  state_->order_inputs(*parts.graph);
  parts.signature.inputs = state_->describe_inputs(*parts.graph, parts);
  parts.signature.outputs = std::move(user_outputs);
  parts.signature.outputs = outputs_of(*parts.graph, parts.signature);
  keep_written(parts.signature);
  own_written(parts);
  if (!state_->has_fakes) parts.example_inputs = state_->examples;
  parts.structure = std::move(structure);
  return make_intrusive<ExportedProgram>(std::move(parts));
}

}  // namespace opwright
