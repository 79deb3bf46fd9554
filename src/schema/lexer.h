// Tokens of the schema language. Keywords are identifiers: the parser knows a word's meaning from
// its position.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "opwright/schema/schema_source.h"

namespace opwright {

enum class TokenKind : uint8_t {
  Identifier,
  Number,  // decimal, without a sign: 1, .5, 1e-3, 2j
  String,  // with its quotes
  Arrow,   // ->
  Dots,    // ...
  Symbol,  // one character
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;  // part of the source
  size_t begin = 0;

  [[nodiscard]] size_t end() const noexcept { return begin + text.size(); }
  [[nodiscard]] bool is_symbol(char c) const noexcept {
    return kind == TokenKind::Symbol && text[0] == c;
  }
  [[nodiscard]] bool is_word(std::string_view word) const noexcept {
    return kind == TokenKind::Identifier && text == word;
  }
};

// Reads token by token; `current` is the next one to take. Spaces and `#` comments are skipped.
class Lexer {
 public:
  explicit Lexer(SchemaSource& source);

  [[nodiscard]] const Token& current() const noexcept { return current_; }
  // Returns the current token and advances to the next.
  Token take();
  // Takes the current token if it is this one.
  bool take_if(char symbol);
  bool take_if(TokenKind kind);
  // Takes the current token; if it is another, an error says what was expected.
  Token expect(char symbol);
  Token expect(TokenKind kind, std::string_view what);
  // Where the last taken token ended.
  [[nodiscard]] size_t taken_end() const noexcept { return taken_end_; }

  [[nodiscard]] SchemaSource& source() const noexcept { return source_; }
  // An error at a token.
  [[noreturn]] void fail(const Token& token, std::string_view problem,
                         std::string_view advice = {}) const;
  // "expected ')', got 'x'" at the current token.
  [[noreturn]] void fail_expected(std::string_view what) const;

 private:
  void advance();
  void skip_blanks();
  [[nodiscard]] size_t end_of_number(size_t begin) const;
  [[nodiscard]] size_t end_of_string(size_t begin) const;
  [[nodiscard]] char at(size_t position) const noexcept {
    return position < text_.size() ? text_[position] : '\0';
  }

  SchemaSource& source_;
  std::string_view text_;
  size_t position_ = 0;
  size_t taken_end_ = 0;
  Token current_;
};

[[nodiscard]] bool is_identifier(std::string_view text) noexcept;

}  // namespace opwright
