#include "opwright/symbolic/expression/expression_parser.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

#include "opwright/base/ascii.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/canonical.h"
#include "opwright/symbolic/expression/expression.h"

namespace opwright {
namespace {

constexpr int kMostNesting = 1000;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct Token {
  enum class Kind { Name, Number, Sign, End } kind = Kind::End;
  std::string_view text;
  size_t column = 0;
};

class Parser {
 public:
  Parser(std::string_view text, const Canonical& canonical, const SymbolFinder& symbols)
      : text_(text), canonical_(canonical), symbols_(symbols) {
    advance();
  }

  OpwSymWord parse_all() {
    const OpwSymWord word = parse_or();
    if (token_.kind != Token::Kind::End) fail_at(token_, "expected an operator or the end");
    return word;
  }

 private:
  [[noreturn]] void fail_at(const Token& token, const std::string& problem) const {
    throw_error("ValueError", "symbolic int: ", problem, " at column ", token.column + 1, "\n    ",
                text_, "\n    ", std::string(token.column, ' '),
                std::string(std::max<size_t>(token.text.size(), 1), '^'));
  }

  static size_t sign_length(std::string_view text) {
    for (const std::string_view sign : {"//", "==", "!=", "<=", ">="}) {
      if (text.starts_with(sign)) return 2;
    }
    return std::string_view("+-*%<>(),").find(text[0]) != std::string_view::npos ? 1 : 0;
  }

  void advance() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const std::string_view rest = text_.substr(at_);
    token_ = {Token::Kind::End, rest.substr(0, 0), at_};
    if (rest.empty()) return;
    size_t length = 0;
    if (is_letter(rest[0])) {
      token_.kind = Token::Kind::Name;
      while (length < rest.size() && (is_letter(rest[length]) || is_digit(rest[length]))) ++length;
    } else if (is_digit(rest[0])) {
      token_.kind = Token::Kind::Number;
      while (length < rest.size() && is_digit(rest[length])) ++length;
    } else {
      token_.kind = Token::Kind::Sign;
      length = sign_length(rest);
      token_.text = rest.substr(0, 1);
      if (length == 0) fail_at(token_, "unexpected character");
    }
    token_.text = rest.substr(0, length);
    at_ += length;
  }

  bool is_at(std::string_view text) const {
    return token_.kind != Token::Kind::End && token_.text == text;
  }
  bool take(std::string_view text) {
    if (!is_at(text)) return false;
    advance();
    return true;
  }
  void expect(std::string_view text) {
    if (!take(text)) fail_at(token_, concatenate("expected '", text, "'"));
  }

  OpwSymWord apply(const Token& sign, OpwSymOp op, OpwSymWord a, OpwSymWord b) const {
    try {
      return canonical_.apply(op, a, b);
    } catch (const Error& error) {
      fail_at(sign, error.message());
    }
  }

  // The nesting depth, bounded so that no text can exhaust the stack.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.nesting_ > kMostNesting) {
        parser_.fail_at(parser_.token_,
                        concatenate("nested more than ", kMostNesting, " levels deep"));
      }
    }
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  OpwSymWord parse_or() {
    const Nesting nesting(*this);
    OpwSymWord left = parse_and();
    for (Token sign = token_; take("or"); sign = token_) {
      left = apply(sign, kOpwSymOr, left, parse_and());
    }
    return left;
  }

  OpwSymWord parse_and() {
    OpwSymWord left = parse_not();
    for (Token sign = token_; take("and"); sign = token_) {
      left = apply(sign, kOpwSymAnd, left, parse_not());
    }
    return left;
  }

  OpwSymWord parse_not() {
    const Nesting nesting(*this);
    const Token sign = token_;
    if (take("not")) return apply(sign, kOpwSymNot, parse_not(), 0);
    return parse_comparison();
  }

  static bool find_comparison(std::string_view sign, OpwSymOp* op) {
    static constexpr struct {
      std::string_view sign;
      OpwSymOp op;
    } kSigns[] = {{"==", kOpwSymEq}, {"!=", kOpwSymNe}, {"<", kOpwSymLt},
                  {"<=", kOpwSymLe}, {">", kOpwSymGt},  {">=", kOpwSymGe}};
    for (const auto& entry : kSigns) {
      if (entry.sign != sign) continue;
      *op = entry.op;
      return true;
    }
    return false;
  }

  OpwSymWord parse_comparison() {
    const OpwSymWord left = parse_sum();
    const Token sign = token_;
    OpwSymOp op{};
    if (!find_comparison(sign.text, &op)) return left;
    advance();
    const OpwSymWord right = parse_sum();
    OpwSymOp next{};
    if (find_comparison(token_.text, &next)) {
      fail_at(token_, "a second comparison; join two with 'and'");
    }
    return apply(sign, op, left, right);
  }

  OpwSymWord parse_sum() {
    OpwSymWord left = parse_product();
    while (is_at("+") || is_at("-")) {
      const Token sign = token_;
      advance();
      left = apply(sign, sign.text == "+" ? kOpwSymAdd : kOpwSymSub, left, parse_product());
    }
    return left;
  }

  OpwSymWord parse_product() {
    OpwSymWord left = parse_unary();
    while (is_at("*") || is_at("//") || is_at("%")) {
      const Token sign = token_;
      advance();
      const OpwSymOp op = sign.text == "*"    ? kOpwSymMul
                          : sign.text == "//" ? kOpwSymFloorDiv
                                              : kOpwSymMod;
      left = apply(sign, op, left, parse_unary());
    }
    return left;
  }

  OpwSymWord parse_unary() {
    const Nesting nesting(*this);
    const Token sign = token_;
    if (take("-")) return apply(sign, kOpwSymSub, 0, parse_unary());
    return parse_atom();
  }

  OpwSymWord parse_number() {
    int64_t value = 0;
    const char* end = token_.text.data() + token_.text.size();
    if (std::from_chars(token_.text.data(), end, value).ec != std::errc()) {
      fail_at(token_, "the number needs more than 64 bits");
    }
    advance();
    return value;
  }

  OpwSymWord parse_extreme(OpwSymOp op) {
    const Token name = token_;
    advance();
    expect("(");
    OpwSymWord result = parse_or();
    while (take(",")) result = apply(name, op, result, parse_or());
    expect(")");
    return result;
  }

  OpwSymWord parse_name() {
    if (is_at("max")) return parse_extreme(kOpwSymMax);
    if (is_at("min")) return parse_extreme(kOpwSymMin);
    const Expression* symbol = symbols_.find(token_.text);
    if (!symbol) fail_at(token_, concatenate("there is no symbol '", token_.text, "'"));
    advance();
    return word_of(*symbol);
  }

  OpwSymWord parse_atom() {
    if (token_.kind == Token::Kind::Number) return parse_number();
    if (token_.kind == Token::Kind::Name) return parse_name();
    if (!take("(")) fail_at(token_, "expected a number, a symbol or '('");
    const OpwSymWord inner = parse_or();
    expect(")");
    return inner;
  }

  std::string_view text_;
  const Canonical& canonical_;
  const SymbolFinder& symbols_;
  Token token_;
  size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

bool is_taken_by_the_grammar(std::string_view word) noexcept {
  constexpr std::string_view kWords[] = {"and", "or", "not", "max", "min"};
  return std::ranges::find(kWords, word) != std::end(kWords);
}

OpwSymWord parse_expression(std::string_view text, const Canonical& canonical,
                            const SymbolFinder& symbols) {
  return Parser(text, canonical, symbols).parse_all();
}

}  // namespace opwright
