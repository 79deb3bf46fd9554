#include "opwright/ir/text/symbol_parser.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/error.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

class SymbolParser {
 public:
  explicit SymbolParser(TextCursor& cursor) : cursor_(cursor) {}

  ShapeEnvPtr parse();

 private:
  struct Equality {
    std::string symbol;
    TextSpan span;
  };
  void parse_symbol();
  void parse_fact(Symbol& symbol);
  void parse_guard();
  void parse_assertion();
  SymRange parse_range();
  int64_t parse_bound(std::string_view stop, int64_t without, std::string_view text);
  SymInt parse_condition(TextSpan span) const;
  // Runs a function that may reject the current part of the text; the error shows it.
  template <class Function>
  auto at(TextSpan span, Function function) const {
    try {
      return function();
    } catch (const Error& error) {
      const std::string_view text = error.text();
      cursor_.fail(span, text.substr(0, text.find('\n')));
    }
  }

  TextCursor& cursor_;
  ShapeEnvPtr env_ = make_intrusive<ShapeEnv>();
  std::vector<Equality> equalities_;
};

int64_t SymbolParser::parse_bound(std::string_view stop, int64_t without, std::string_view text) {
  const TextSpan span = cursor_.take_expression(stop, "a bound");
  return cursor_.text(span) == text ? without : cursor_.int_at(span);
}

SymRange SymbolParser::parse_range() {
  SymRange range;
  cursor_.expect("[");
  range.least = parse_bound(",", INT64_MIN, "-inf");
  cursor_.expect(",");
  range.greatest = parse_bound("]", INT64_MAX, "inf");
  cursor_.expect("]");
  return range;
}

void SymbolParser::parse_fact(Symbol& symbol) {
  if (cursor_.take_word_if("hint")) {
    symbol.hint = cursor_.int_at(cursor_.take_expression(",", "an int"));
  } else if (cursor_.take_word_if("equals")) {
    equalities_.push_back({symbol.name, cursor_.take_expression(",", "an expression")});
  } else if (cursor_.take_word_if("from")) {
    symbol.source = take_word_or_string(cursor_);
  } else {
    cursor_.fail_expected("'hint', 'equals' or 'from'");
  }
}

void SymbolParser::parse_symbol() {
  const TextSpan span = cursor_.take_word();
  Symbol symbol{.name = std::string(cursor_.text(span)),
                .hint = std::nullopt,
                .range = {},
                .source = {},
                .made_at = {},
                .equals = std::nullopt};
  if (!cursor_.take_word_if("in")) cursor_.fail_expected("'in' and a range");
  symbol.range = parse_range();
  while (cursor_.take_if(",")) parse_fact(symbol);
  symbol.made_at = cursor_.take_places().user;
  at(span, [&] { return env_->declare(symbol); });
}

SymInt SymbolParser::parse_condition(TextSpan span) const {
  return at(span, [&] { return env_->parse(cursor_.text(span)); });
}

void SymbolParser::parse_guard() {
  const TextSpan span = cursor_.take_expression("", "a condition");
  const SymInt condition = parse_condition(span);
  const TextCursor::Places places = cursor_.take_places();
  at(span, [&] { env_->add_guard({condition, places.asked, places.user}); });
}

void SymbolParser::parse_assertion() {
  const TextSpan span = cursor_.take_expression(",", "a condition");
  const SymInt condition = parse_condition(span);
  cursor_.expect(",");
  const std::string message = cursor_.take_string();
  const TextCursor::Places places = cursor_.take_places();
  at(span, [&] { env_->add_runtime_assert({condition, message, places.asked, places.user}); });
}

ShapeEnvPtr SymbolParser::parse() {
  while (cursor_.take_word_if("symbol")) parse_symbol();
  // A symbol may equal an expression of later symbols.
  for (const auto& [name, span] : equalities_) {
    const SymInt value = parse_condition(span);
    at(span, [&] { env_->learn_equal(name, value); });
  }
  while (cursor_.take_word_if("guard")) parse_guard();
  while (cursor_.take_word_if("assert")) parse_assertion();
  return env_;
}

}  // namespace

ShapeEnvPtr parse_symbols(TextCursor& cursor) {
  const size_t begin = cursor.at();
  const std::string_view word = cursor.text(cursor.take_word());
  cursor.seek(begin);
  if (word != "symbol" && word != "guard" && word != "assert") return nullptr;
  return SymbolParser(cursor).parse();
}

std::string take_word_or_string(TextCursor& cursor) {
  if (cursor.peek() == '"') return cursor.take_string();
  const TextSpan span = cursor.take_run("_.()[]");
  if (span.begin == span.end) cursor.fail_expected("a word or a string");
  return std::string(cursor.text(span));
}

}  // namespace opwright
