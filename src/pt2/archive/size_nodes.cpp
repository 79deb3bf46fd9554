#include "opwright/pt2/archive/size_nodes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/symbol_bindings.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/archive/number_call.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"

namespace opwright::pt2 {
namespace {

// "mul" of "_operator.mul".
std::string_view last_part(std::string_view target) { return target.substr(target.rfind('.') + 1); }

OpwSymOp sym_op(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::Product:
      return kOpwSymMul;
    case ExpressionKind::FloorDiv:
      return kOpwSymFloorDiv;
    case ExpressionKind::Mod:
      return kOpwSymMod;
    case ExpressionKind::Max:
      return kOpwSymMax;
    case ExpressionKind::Min:
      return kOpwSymMin;
    case ExpressionKind::Equal:
      return kOpwSymEq;
    case ExpressionKind::NotEqual:
      return kOpwSymNe;
    case ExpressionKind::AtMost:
      return kOpwSymLe;
    case ExpressionKind::And:
      return kOpwSymAnd;
    case ExpressionKind::Or:
      return kOpwSymOr;
    case ExpressionKind::Symbol:
    case ExpressionKind::Sum:
      break;
  }
  return kOpwSymAdd;
}

}  // namespace

ValueNames::ValueNames(const Graph& graph) {
  for (const Node* node = graph.first(); node; node = node->next()) {
    for (const GraphValue& value : node->values()) taken_.insert(value.name());
  }
}

std::string ValueNames::make(std::string_view wanted) {
  std::string name(wanted);
  for (size_t i = 1; !taken_.insert(name).second; ++i) name = concatenate(wanted, "_", i);
  return name;
}

bool SizeNodes::is_condition(const SymInt& value) {
  return value.is_symbolic() && expression_of(value.word()).is_condition();
}

bool SizeNodes::bind(const GraphValue& value) {
  if (!env_) return false;
  std::vector<SymbolBinding> found = scope_.bind(value);
  for (SymbolBinding& binding : found) {
    std::string symbol = binding.symbol;
    bindings_.emplace(std::move(symbol), std::move(binding));
  }
  return !found.empty();
}

bool SizeNodes::binds(const GraphValue& value) const {
  return std::ranges::any_of(bindings_,
                             [&](const auto& entry) { return entry.second.value == &value; });
}

WrittenSize SizeNodes::written(const SymInt& size) const {
  if (!size.is_symbolic()) return {.number = size.word(), .expression = {}};
  WrittenSize written{.expression = text_.write(size.word())};
  const std::optional<int64_t> hint = is_condition(size) ? std::nullopt : env_->hint(size);
  written.has_hint = hint.has_value();
  written.number = hint.value_or(0);
  return written;
}

void SizeNodes::add_node(std::string target, std::string name, std::vector<WrittenArgument> inputs,
                         const SymInt& value, ArchiveGraph& graph) {
  const NamedKind kind = is_condition(value) ? NamedKind::Bool : NamedKind::Int;
  (kind == NamedKind::Bool ? graph.bools : graph.ints).insert_or_assign(name, written(value));
  graph.nodes.push_back({.target = std::move(target),
                         .name = name,
                         .inputs = std::move(inputs),
                         .outputs = {single_argument(ValueName{.name = name, .kind = kind})},
                         .stack_trace = {}});
  known_.insert_or_assign(value.word(), std::move(name));
}

SymInt SizeNodes::combine(OpwSymOp op, const SymInt& a, const SymInt& b, ArchiveGraph& graph) {
  SymInt result = apply_sym(op, a, b);
  if (!result.is_symbolic() || known_.contains(result.word())) return result;
  const std::string_view target = target_of(op);
  std::vector<WrittenArgument> inputs = {single_argument(element(a, graph), "a"),
                                         single_argument(element(b, graph), "b")};
  add_node(std::string(target), names_.make(last_part(target)), std::move(inputs), result, graph);
  return result;
}

void SizeNodes::compute_symbol(const SymInt& size, const Expression& symbol, ArchiveGraph& graph) {
  const Symbol& stated = text_.symbol(*symbol.name);
  if (stated.equals) {
    compute(*stated.equals, graph);
    if (const auto found = known_.find(stated.equals->word()); found != known_.end())
      known_.emplace(size.word(), found->second);
    return;
  }
  const auto found = bindings_.find(*symbol.name);
  OPWRIGHT_CHECK_VALUE(found != bindings_.end(), "save: the size ", *symbol.name,
                       " is used before a value of the graph has it");
  using Part = ShownNumber::Part;
  const SymbolBinding& binding = found->second;
  const SymInt& shown = binding.shown.expression;
  OPWRIGHT_CHECK_KIND("NotImplementedError", binding.shown.part != Part::Offset,
                      "save: a size that only the offset of %", binding.value->name(),
                      " has cannot be written to a PyTorch archive");
  if (binding.shown.part == Part::Number) {
    known_.insert_or_assign(shown.word(), binding.value->name());
  } else if (!known_.contains(shown.word())) {
    const bool is_size = binding.shown.part == Part::Size;
    const std::string function = is_size ? "sym_size" : "sym_stride";
    add_node("torch.ops.aten." + function + ".int", names_.make(function + "_int"),
             {single_argument(ValueName{.name = binding.value->name()}, "self"),
              single_argument(int64_t{binding.shown.dim}, "dim")},
             shown, graph);
  }
  // shown == factor * symbol + constant
  if (binding.factor == 1 && binding.constant == 0) return;
  const SymInt scaled =
      binding.constant == 0 ? shown : combine(kOpwSymAdd, shown, SymInt(-binding.constant), graph);
  if (binding.factor != 1) {
    // An exact division simplifies to the symbol.
    (void)combine(kOpwSymFloorDiv, scaled, SymInt(binding.factor), graph);
  }
}

void SizeNodes::compute_sum(const Expression& sum, ArchiveGraph& graph) {
  SymInt total;
  for (const SumTerm& term : sum.terms) {
    const SymInt monomial = SymInt::borrow(word_of(*term.monomial));
    const SymInt scaled = term.coefficient == 1
                              ? monomial
                              : combine(kOpwSymMul, monomial, SymInt(term.coefficient), graph);
    total = &term == &sum.terms.front() ? scaled : combine(kOpwSymAdd, total, scaled, graph);
  }
  if (sum.constant != 0) (void)combine(kOpwSymAdd, total, SymInt(sum.constant), graph);
}

// Adds the nodes that give the value of a symbolic size a name.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the expression
void SizeNodes::compute(const SymInt& size, ArchiveGraph& graph) {
  if (!size.is_symbolic() || known_.contains(size.word())) return;
  const Expression& expression = expression_of(size.word());
  if (expression.kind == ExpressionKind::Symbol) return compute_symbol(size, expression, graph);
  if (expression.kind == ExpressionKind::Sum) return compute_sum(expression, graph);
  const OpwSymOp op = sym_op(expression.kind);
  SymInt total = SymInt::borrow(expression.operands.front());
  const bool is_relation = expression.is_condition() && expression.operands.size() == 1;
  if (is_relation) {
    total = combine(op, total, SymInt(0), graph);
  } else {
    for (const OpwSymWord operand : expression.operands.subspan(1))
      total = combine(op, total, SymInt::borrow(operand), graph);
  }
  // Facts may have made it simpler since.
  if (total.word() != size.word() && total.is_symbolic())
    known_.emplace(size.word(), known_.at(total.word()));
}

std::optional<int64_t> SizeNodes::stated_number(const SymInt& size) const {
  if (!size.is_symbolic()) return size.word();
  const Expression& expression = expression_of(size.word());
  if (expression.kind != ExpressionKind::Symbol) return std::nullopt;
  const std::optional<SymInt>& equals = text_.symbol(*expression.name).equals;
  return equals && !equals->is_symbolic() ? std::optional(equals->word()) : std::nullopt;
}

Element SizeNodes::element(const SymInt& size, ArchiveGraph& graph) {
  if (const std::optional<int64_t> number = stated_number(size)) return *number;
  compute(size, graph);
  const auto found = known_.find(size.word());
  OPWRIGHT_CHECK_KIND("NotImplementedError", found != known_.end(), "save: the size ", size,
                      " cannot be written to a PyTorch archive");
  return ValueName{.name = found->second,
                   .kind = is_condition(size) ? NamedKind::Bool : NamedKind::Int};
}

}  // namespace opwright::pt2
