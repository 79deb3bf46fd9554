#include "opwright/schema/lexer.h"

#include <algorithm>

#include "opwright/base/ascii.h"

namespace opwright {
namespace {

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word_part(char c) { return is_word_start(c) || is_digit(c); }
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

constexpr std::string_view kSymbols = "()[]{}*?!=,.|:-+";

}  // namespace

Lexer::Lexer(SchemaSource& source) : source_(source), text_(source.text()) { advance(); }

Token Lexer::take() {
  const Token taken = current_;
  taken_end_ = taken.end();
  advance();
  return taken;
}

bool Lexer::take_if(char symbol) {
  if (!current_.is_symbol(symbol)) return false;
  take();
  return true;
}

bool Lexer::take_if(TokenKind kind) {
  if (current_.kind != kind) return false;
  take();
  return true;
}

Token Lexer::expect(char symbol) {
  if (!current_.is_symbol(symbol)) fail_expected(concatenate("'", symbol, "'"));
  return take();
}

Token Lexer::expect(TokenKind kind, std::string_view what) {
  if (current_.kind != kind) fail_expected(what);
  return take();
}

void Lexer::fail(const Token& token, std::string_view problem, std::string_view advice) const {
  source_.fail(token.begin, token.end(), problem, advice);
}

void Lexer::fail_expected(std::string_view what) const {
  const bool is_end = current_.kind == TokenKind::End;
  fail(current_, is_end ? concatenate("expected ", what, ", but the text ends")
                        : concatenate("expected ", what, ", got '", current_.text, "'"));
}

void Lexer::skip_blanks() {
  for (;;) {
    while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
    if (at(position_) != '#') return;
    position_ = std::min(text_.find('\n', position_), text_.size());
  }
}

void Lexer::advance() {
  skip_blanks();
  const size_t begin = std::min(position_, text_.size());
  TokenKind kind = TokenKind::Symbol;
  size_t end = begin + 1;
  if (begin == text_.size()) {
    kind = TokenKind::End;
    end = begin;
  } else if (is_word_start(at(begin))) {
    kind = TokenKind::Identifier;
    while (is_word_part(at(end))) ++end;
  } else if (is_digit(at(begin)) || (at(begin) == '.' && is_digit(at(begin + 1)))) {
    kind = TokenKind::Number;
    end = end_of_number(begin);
  } else if (at(begin) == '"' || at(begin) == '\'') {
    kind = TokenKind::String;
    end = end_of_string(begin);
  } else if (text_.substr(begin, 2) == "->") {
    kind = TokenKind::Arrow;
    end = begin + 2;
  } else if (text_.substr(begin, 3) == "...") {
    kind = TokenKind::Dots;
    end = begin + 3;
  } else if (kSymbols.find(at(begin)) == std::string_view::npos) {
    while ((static_cast<unsigned char>(at(end)) & 0xc0) == 0x80)
      ++end;  // the entire UTF-8 character
    source_.fail(
        begin, end,
        concatenate("'", text_.substr(begin, end - begin), "' has no meaning in a schema"));
  }
  current_ = {kind, text_.substr(begin, end - begin), begin};
  position_ = end;
}

size_t Lexer::end_of_number(size_t begin) const {
  size_t end = begin;
  while (is_digit(at(end))) ++end;
  if (at(end) == '.' && at(end + 1) != '.') {
    ++end;
    while (is_digit(at(end))) ++end;
  }
  if (at(end) == 'e' || at(end) == 'E') {
    const size_t digits = at(end + 1) == '-' || at(end + 1) == '+' ? end + 2 : end + 1;
    if (is_digit(at(digits))) {
      end = digits;
      while (is_digit(at(end))) ++end;
    }
  }
  if (at(end) == 'j') ++end;
  if (is_word_part(at(end))) {
    while (is_word_part(at(end))) ++end;
    source_.fail(begin, end,
                 concatenate("'", text_.substr(begin, end - begin), "' is not a decimal number"));
  }
  return end;
}

size_t Lexer::end_of_string(size_t begin) const {
  const std::string_view quote = text_.substr(begin, 1);
  const std::string triple(3, quote[0]);
  const bool is_triple = text_.substr(begin, 3) == triple;
  const std::string_view closing = is_triple ? std::string_view(triple) : quote;
  for (size_t end = begin + closing.size(); end < text_.size(); ++end) {
    if (text_[end] == '\\') {
      ++end;
    } else if (text_.substr(end, closing.size()) == closing) {
      return end + closing.size();
    }
  }
  source_.fail(begin, text_.size(), concatenate("the string has no closing ", closing));
}

bool is_identifier(std::string_view text) noexcept {
  return !text.empty() && is_word_start(text[0]) && std::ranges::all_of(text, is_word_part);
}

}  // namespace opwright
