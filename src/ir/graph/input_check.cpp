#include "opwright/ir/graph/input_check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/device.h"
#include "opwright/error.h"
#include "opwright/ir/graph/input_words.h"
#include "opwright/ir/graph/random_input.h"
#include "opwright/symint.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

std::string list_argument_inputs(const Graph& graph) {
  std::string names;
  for (const GraphValue* input : graph.inputs()) {
    if (input->node().role() != InputRole::Argument) continue;
    names.append(names.empty() ? "" : ", ").append(input->name());
  }
  return names;
}

const InputWords& words_of(const GraphValue& value) { return value.node().graph().input_words(); }

void check_kind(const GraphValue& input, const OpwValue& actual) {
  const InputWords& words = words_of(input);
  if (input.meta().tag() == kOpwSymInt) {
    OPWRIGHT_CHECK_TYPE(actual.tag == kOpwInt || actual.tag == kOpwSymInt, words.who, ": ",
                        words.name(input), " must be an int, got ", tag_name(actual.tag));
    return;
  }
  OPWRIGHT_CHECK_TYPE(actual.tag == kOpwTensor && actual.as_tensor, words.who, ": ",
                      words.name(input), " must be a tensor, got ", tag_name(actual.tag));
  const BorrowedTensor borrowed(actual.as_tensor);
  const Tensor& given = borrowed;
  const Tensor expected = input.tensor();
  const auto check = [&](bool holds, const char* what) {
    OPWRIGHT_CHECK_TYPE(holds, words.who, ": ", words.name(input), " was ", words.made, " as ",
                        expected, ", got ", given, ": another ", what);
  };
  check(given.dim() == expected.dim(), "number of dimensions");
  check(given.dtype() == expected.dtype(), "dtype");
  check(given.device() == expected.device(), "device");
}

Value bound_value(const GraphValue& input) {
  const Node& node = input.node();
  if (node.role() == InputRole::RandomState) return Value(read_random_state());
  OPWRIGHT_CHECK_VALUE(node.bound().is_defined(), "graph: the ",
                       node.role() == InputRole::Captured ? "captured" : "constant", " input '",
                       input.name(),
                       "' has no tensor, since the graph was read from text; give it one with "
                       "bind_input");
  return Value(node.bound());
}

SymInt actual_number(const ShownNumber& shown, const OpwValue& actual) {
  if (shown.part == ShownNumber::Part::Number) return ValueOf<SymInt>::read(actual);
  const BorrowedTensor borrowed(actual.as_tensor);
  const Tensor& tensor = borrowed;
  switch (shown.part) {
    case ShownNumber::Part::Size:
      return tensor.sym_size(shown.dim);
    case ShownNumber::Part::Stride:
      return tensor.sym_stride(shown.dim);
    default:
      return sym_geometry_of(tensor).offset;
  }
}

// Requires a condition on sizes: checks it now, or adds a guard to the trace that the run is part
// of.
void demand(const SymInt& condition, const std::string& message) {
  check(SymBool(condition, std::source_location::current()), message);
}

bool holds(const SymInt& condition) { return !condition.is_symbolic() && condition.word() != 0; }

// If a symbol already has a value, that of the enclosing graph counts.
void bind_symbol(const SymbolBinding& binding, const OpwValue& actual, SymbolValues& symbols) {
  if (symbols.contains(binding.symbol)) return;
  const SymInt number = actual_number(binding.shown, actual);
  const SymInt rest = number - SymInt(binding.constant);
  if (binding.factor != 1) {
    const SymInt is_whole = apply_sym(kOpwSymEq, rest % SymInt(binding.factor), 0);
    if (!holds(is_whole)) {
      demand(is_whole, concatenate(words_of(*binding.value).who, ": ",
                                   describe(*binding.value, binding.shown), " must be ",
                                   binding.shown.expression, " for an integer ", binding.symbol,
                                   ", got ", number));
    }
  }
  symbols.insert_or_assign(binding.symbol,
                           binding.factor == 1 ? rest : rest / SymInt(binding.factor));
}

std::string asked_by(const Guard& guard) {
  const SourceSite site = guard.user.is_known() ? guard.user : guard.asked;
  return site.is_known() ? concatenate(", required at ", site) : "";
}

std::string range_text(const Symbol& symbol) {
  if (symbol.range.greatest == INT64_MAX)
    return concatenate(symbol.name, " >= ", symbol.range.least);
  if (symbol.range.least == INT64_MIN)
    return concatenate(symbol.name, " <= ", symbol.range.greatest);
  return concatenate(symbol.range.least, " <= ", symbol.name, " <= ", symbol.range.greatest);
}

// The condition that a value is in a range; infinite ends are not checked.
SymInt lies_in(const SymInt& value, const SymRange& range) {
  SymInt holds = 1;
  if (range.least > kOpwSmallestInt) holds = apply_sym(kOpwSymGe, value, SymInt(range.least));
  if (range.greatest < INT64_MAX) {
    holds = apply_sym(kOpwSymAnd, holds, apply_sym(kOpwSymLe, value, SymInt(range.greatest)));
  }
  return holds;
}

}  // namespace

InputCheck::InputCheck(const Graph& graph)
    : graph_(graph),
      env_(graph.shape_env().get()),
      plan_(graph.input_plan()),
      scope_(plan_->scope) {
  if (env_) is_checked_.resize(env_->runtime_asserts().size());
}

std::vector<Value> InputCheck::collect(std::span<const OpwValue> arguments) const {
  std::vector<Value> values;
  size_t used = 0;
  for (const GraphValue* input : graph_.inputs()) {
    if (input->node().role() != InputRole::Argument) {
      values.push_back(bound_value(*input));
    } else if (used < arguments.size()) {
      values.push_back(Value::copy_of(arguments[used++]));
    } else {
      ++used;  // counted for the message
      continue;
    }
    check_kind(*input, values.back().get());
  }
  OPWRIGHT_CHECK_TYPE(used == arguments.size(), words().who, ": it takes ", used, " inputs (",
                      list_argument_inputs(graph_), "), got ", arguments.size());
  return values;
}

void InputCheck::bind_inputs(std::span<const Value> inputs, SymbolValues& symbols) const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (const SymbolBinding& binding : plan_->bindings[i]) {
      bind_symbol(binding, inputs[i].get(), symbols);
    }
  }
}

void InputCheck::bind(const GraphValue& value, const OpwValue& actual, SymbolValues& symbols) {
  if (!env_ || !shows_symbols(value.meta())) return;
  for (SymbolBinding& binding : scope_.bind(value)) {
    bind_symbol(binding, actual, symbols);
    bound_by_nodes_.push_back(std::move(binding));
  }
}

bool InputCheck::can_compute(const SymInt& expression, const SymbolValues& symbols) const {
  if (!expression.is_symbolic()) return true;
  for (const std::string& symbol : env_->free_symbols(expression)) {
    if (!symbols.contains(symbol)) return false;
  }
  return true;
}

void InputCheck::check_sizes(std::span<const Value> inputs, std::span<const SymInt> sizes,
                             const SymbolValues& symbols) const {
  for (size_t i = 0; i < plan_->expected.size(); ++i) {
    const auto& [input, place, shown] = plan_->expected[i];
    const SymInt& wanted = sizes.empty() ? shown.expression : sizes[i];
    const SymInt number = actual_number(shown, inputs[place].get());
    if (wanted.word() == number.word()) continue;
    std::string derived;
    if (shown.expression.is_symbolic()) {
      derived =
          concatenate(" (", shown.expression, describe_symbols(shown.expression, symbols), ")");
    }
    demand(apply_sym(kOpwSymEq, wanted, number),
           concatenate(words().who, ": ", describe(*input, shown), " must be ", wanted, derived,
                       ", got ", number));
  }
}

const SymbolBinding* InputCheck::find_binding(const std::string& symbol) const {
  for (const std::vector<SymbolBinding>& of_input : plan_->bindings) {
    for (const SymbolBinding& binding : of_input) {
      if (binding.symbol == symbol) return &binding;
    }
  }
  const auto found = std::ranges::find(bound_by_nodes_, symbol, &SymbolBinding::symbol);
  return found == bound_by_nodes_.end() ? nullptr : &*found;
}

// " with s0 = 9 (dimension 0 of input 'x')"
std::string InputCheck::describe_symbols(const SymInt& condition,
                                         const SymbolValues& symbols) const {
  std::string text;
  for (const std::string& symbol : env_->free_symbols(condition)) {
    text.append(text.empty() ? " with " : ", ").append(symbol).append(" = ");
    append_text(text, symbols.at(symbol));
    const SymbolBinding* binding = find_binding(symbol);
    if (binding) text.append(" (").append(describe(*binding->value, binding->shown)).append(")");
  }
  return text;
}

void InputCheck::check_guards(std::span<const SymInt> conditions,
                              const SymbolValues& symbols) const {
  for (size_t i = 0; i < conditions.size(); ++i) {
    if (holds(conditions[i])) continue;
    const Guard& guard = plan_->guards[i];
    demand(conditions[i], concatenate(words().who, ": it was ", words().made, " under ",
                                      guard.condition, asked_by(guard), ", but is run",
                                      describe_symbols(guard.condition, symbols)));
  }
}

void InputCheck::check_ranges(const SymbolValues& symbols) const {
  for (const Symbol& symbol : plan_->ranges) {
    const SymInt is_inside = lies_in(symbols.at(symbol.name), symbol.range);
    if (holds(is_inside)) continue;
    demand(is_inside,
           concatenate(words().who, ": it was ", words().made, " for ", range_text(symbol),
                       ", but is run", describe_symbols(env_->symbol(symbol.name), symbols),
                       "; sizes outside of that range need a ", words().who, " of their own"));
  }
}

void InputCheck::check_assertions(const SymbolValues& symbols) {
  if (!env_ || num_bound_ == symbols.size()) return;
  num_bound_ = symbols.size();
  for (size_t i = 0; i < is_checked_.size(); ++i) {
    if (is_checked_[i] || !can_compute(env_->runtime_asserts()[i].condition, symbols)) continue;
    is_checked_[i] = true;
    // A copy: in a run on symbols of this environment, `demand` adds an assertion to it.
    const RuntimeAssert assertion = env_->runtime_asserts()[i];
    const SymInt condition = substitute(*env_, assertion.condition, symbols);
    if (holds(condition)) continue;
    if (condition.is_symbolic()) {
      demand(condition, assertion.message);
      continue;
    }
    const Guard as_guard{assertion.condition, assertion.asked, assertion.user};
    demand(condition, concatenate(assertion.message, " (", assertion.condition, asked_by(as_guard),
                                  ", but the ", words().who, " is run",
                                  describe_symbols(assertion.condition, symbols), ")"));
  }
}

void InputCheck::check(std::span<const Value> inputs, const SymbolValues& symbols) {
  if (!env_) return check_sizes(inputs, {}, symbols);
  for (const std::string& symbol : plan_->outer_symbols) {
    OPWRIGHT_CHECK_KIND("KeyError", symbols.contains(symbol), words().who, ": the symbol ", symbol,
                        " has no value yet");
  }
  std::vector<SymInt> given;
  for (const std::string& symbol : plan_->symbols) {
    const auto found = symbols.find(symbol);
    given.push_back(found == symbols.end() ? SymInt(0) : found->second);  // 0: unused
  }
  std::vector<SymInt> sizes(plan_->expected.size());
  plan_->sizes->run(std::span<const SymInt>(given), sizes);
  check_sizes(inputs, sizes, symbols);
  std::vector<SymInt> conditions(plan_->guards.size());
  plan_->conditions->run(std::span<const SymInt>(given), conditions);
  check_guards(conditions, symbols);
  check_ranges(symbols);
  check_assertions(symbols);
}

}  // namespace opwright
