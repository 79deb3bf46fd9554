#include "opwright/symbolic/shape_env/shape_env.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/base/user_line.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/evaluate.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/expression_parser.h"
#include "opwright/symbolic/expression/interval.h"
#include "opwright/symbolic/shape_env/shape_env_state.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

bool is_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  const auto is_part = [&](char c) {
    return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
  };
  return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, is_part);
}
}  // namespace

// ---- State ----

ShapeEnv::State::State(ShapeEnv* environment, ShapeEnvOptions given)
    : options(given), pool(environment, &shape_env_table()) {}

ShapeEnv::State::~State() {
  for (Guard& guard : guards) static_cast<void>(guard.condition.give());
  for (RuntimeAssert& assertion : asserts) static_cast<void>(assertion.condition.give());
}

const Expression* ShapeEnv::State::find(std::string_view name) const {
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

std::string ShapeEnv::State::unused_name(char letter, size_t* next) const {
  std::string name = concatenate(letter, (*next)++);
  while (find(name)) name = concatenate(letter, (*next)++);
  return name;
}

const Expression& ShapeEnv::State::add_symbol(Made made, SymRange range) {
  OPWRIGHT_CHECK_VALUE(is_name(made.name) && !is_taken_by_the_grammar(made.name), "symbol: '",
                       made.name, "' is not a valid name");
  OPWRIGHT_CHECK_VALUE(!find(made.name), "symbol: there is already one named ", made.name);
  OPWRIGHT_CHECK_VALUE(!is_empty(range), "symbol ", made.name, ": the range ", to_text(range),
                       " is empty");
  OPWRIGHT_CHECK_VALUE(!made.hint || contains(range, *made.hint), "symbol ", made.name, ": ",
                       *made.hint, " is outside of its range ", to_text(range));
  hints.push_back(made.hint);
  Made& kept = symbols.emplace_back(std::move(made));
  kept.expression = &pool.make_symbol(static_cast<uint32_t>(symbols.size() - 1), kept.name, range);
  by_name.emplace(kept.name, kept.expression);
  facts.add_symbol(*kept.expression, kept.hint);
  return *kept.expression;
}

std::optional<int64_t> ShapeEnv::State::hint(OpwSymWord word) const {
  return evaluate(word, hints);
}

// Releases the count of a condition immediately.
void ShapeEnv::State::keep(Guard guard) {
  guards.push_back(std::move(guard));
  release_word(guards.back().condition.word());
}
void ShapeEnv::State::keep(RuntimeAssert assertion) {
  asserts.push_back(std::move(assertion));
  release_word(asserts.back().condition.word());
}

// ---- Symbols ----

ShapeEnv::ShapeEnv(ShapeEnvOptions options) : state_(std::make_unique<State>(this, options)) {}
ShapeEnv::~ShapeEnv() = default;

SymInt ShapeEnv::make_size(int64_t hint, std::string source) {
  OPWRIGHT_CHECK_VALUE(hint >= 0, "a size is not negative, got ", hint, " for ", source);
  const bool is_special = state_->options.specialises_zero_one;
  if (is_special && hint <= 1) return hint;
  if (state_->options.duck_shaping) {
    const auto found = state_->by_hint.find(hint);
    if (found != state_->by_hint.end()) return handle_of(word_of(*found->second));
  }
  SymInt made = make_backed(hint, {is_special ? 2 : 0, INT64_MAX}, std::move(source));
  state_->by_hint.emplace(hint, &expression_of(made.word()));
  return made;
}

SymInt ShapeEnv::make_backed(int64_t hint, SymRange range, std::string source) {
  std::string name = state_->unused_name('s', &state_->next_backed);
  return handle_of(
      word_of(state_->add_symbol({std::move(name), hint, std::move(source), {}, nullptr}, range)));
}

SymInt ShapeEnv::make_unbacked(SymRange range) {
  std::string name = state_->unused_name('u', &state_->next_unbacked);
  return handle_of(word_of(state_->add_symbol(
      {std::move(name), std::nullopt, "", current_user_line(), nullptr}, range)));
}

SymInt ShapeEnv::declare(const Symbol& symbol) {
  const Expression& made = state_->add_symbol(
      {symbol.name, symbol.hint, symbol.source, symbol.made_at, nullptr}, symbol.range);
  SymInt handle = handle_of(word_of(made));
  if (symbol.equals) learn_equal(symbol.name, *symbol.equals);
  return handle;
}

std::vector<Symbol> ShapeEnv::symbols() const {
  learn_what_is_read();
  return list_symbols();
}

std::vector<Symbol> ShapeEnv::list_symbols() const {
  std::vector<Symbol> result;
  state_->facts.learn_ranges();
  for (const State::Made& made : state_->symbols) {
    const OpwSymWord word = word_of(*made.expression);
    Symbol& symbol = result.emplace_back(
        Symbol{made.name, made.hint, range(handle_of(word)), made.source, made.made_at, {}});
    const OpwSymWord now = state_->facts.simplify(word);
    if (now != word) symbol.equals = handle_of(now);
  }
  return result;
}

SymInt ShapeEnv::symbol(std::string_view name) const {
  const Expression* found = state_->find(name);
  OPWRIGHT_CHECK_KIND("KeyError", found, "there is no symbol '", name, "'");
  return handle_of(word_of(*found));
}

std::vector<std::string> ShapeEnv::free_symbols(const SymInt& value) const {
  std::vector<bool> found(state_->symbols.size());
  for (const Expression* symbol : symbols_in(own(value))) found[symbol->symbol] = true;
  std::vector<std::string> names;
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i]) names.push_back(state_->symbols[i].name);
  }
  return names;
}

// ---- Queries ----

OpwSymWord ShapeEnv::own(const SymInt& value) const {
  OPWRIGHT_CHECK_VALUE(is_own(value.word()), value, " is a symbolic int of another environment");
  return value.word();
}

std::optional<bool> ShapeEnv::decide(const SymInt& condition) const {
  return state_->facts.decide(own(condition));
}
SymRange ShapeEnv::range(const SymInt& value) const {
  return state_->facts.tight_range(own(value));
}
std::optional<int64_t> ShapeEnv::hint(const SymInt& value) const {
  return state_->hint(own(value));
}
SymInt ShapeEnv::simplify(const SymInt& value) const {
  return handle_of(state_->facts.simplify(own(value)));
}

std::span<const Guard> ShapeEnv::guards() const noexcept { return state_->guards; }
std::span<const RuntimeAssert> ShapeEnv::runtime_asserts() const noexcept {
  return state_->asserts;
}

void ShapeEnv::learn(const SymInt& condition) {
  const std::optional<int64_t> now = hint(condition);
  OPWRIGHT_CHECK_VALUE((!now || *now != 0) && state_->facts.learn(condition.word()), condition,
                       " contradicts what is known of its symbols");
}

void ShapeEnv::learn_equal(std::string_view name, const SymInt& value) {
  const SymInt replaced = symbol(name);
  const SymInt equality = apply_sym(kOpwSymEq, replaced, value);
  const std::optional<int64_t> now = hint(equality);
  OPWRIGHT_CHECK_VALUE((!now || *now != 0) && state_->facts.learn_replacement(
                                                  expression_of(replaced.word()), value.word()),
                       equality, " contradicts what is known of its symbols");
}

void ShapeEnv::add_guard(Guard guard) {
  learn(guard.condition);
  state_->keep(std::move(guard));
}
void ShapeEnv::add_runtime_assert(RuntimeAssert assertion) {
  learn(assertion.condition);
  state_->keep(std::move(assertion));
}

SymInt ShapeEnv::parse(std::string_view text) const {
  return handle_of(parse_expression(text, state_->reader, *state_));
}

ShapeEnv* shape_env_of(const SymInt& value) noexcept {
  if (!value.is_symbolic() || sym_node(value.word())->table != &shape_env_table()) return nullptr;
  return expression_of(value.word()).environment;
}

}  // namespace opwright
