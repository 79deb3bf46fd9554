#include "opwright/ir/text/text_cursor.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "opwright/base/ascii.h"
#include "opwright/base/intern.h"
#include "opwright/error.h"
#include "opwright/schema/schema_source.h"
#include "opwright/schema/string_literal.h"

namespace opwright {
namespace {

constexpr std::string_view kSiteCharacters = "_./-+~@<>";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word_part(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

}  // namespace

void TextCursor::skip_blanks() {
  while (is_blank(character(at_))) ++at_;
}

void TextCursor::skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

void TextCursor::skip() {
  for (;;) {
    while (is_blank(character(at_)) || character(at_) == '\n') ++at_;
    if (character(at_) != '#') return;
    skip_line();
  }
}

char TextCursor::peek() {
  skip();
  return character(at_);
}

bool TextCursor::take_if(std::string_view sign) {
  const size_t before = at_;
  skip();
  const bool is_there = text_.substr(at_, sign.size()) == sign;
  at_ = is_there ? at_ + sign.size() : before;
  return is_there;
}

void TextCursor::expect(std::string_view sign) {
  if (!take_if(sign)) fail_expected(concatenate("'", sign, "'"));
}

TextSpan TextCursor::take_word() {
  skip();
  const size_t begin = at_;
  if (!is_digit(character(at_))) {
    while (is_word_part(character(at_))) ++at_;
  }
  return {begin, at_};
}

bool TextCursor::take_word_if(std::string_view word) {
  const size_t before = at_;
  if (text(take_word()) == word) return true;
  at_ = before;
  return false;
}

TextSpan TextCursor::take_run(std::string_view characters) {
  skip();
  const size_t begin = at_;
  while (is_letter(character(at_)) || is_digit(character(at_)) ||
         (at_ < text_.size() && characters.find(text_[at_]) != std::string_view::npos)) {
    ++at_;
  }
  return {begin, at_};
}

size_t TextCursor::end_of_string(size_t begin) const {
  for (size_t place = begin + 1; place < text_.size() && text_[place] != '\n'; ++place) {
    if (text_[place] == '\\') {
      ++place;
    } else if (text_[place] == '"') {
      return place + 1;
    }
  }
  return std::string_view::npos;
}

std::string TextCursor::take_string() {
  skip();
  if (character(at_) != '"') fail_expected("a string in double quotes");
  const size_t begin = at_;
  const size_t end = end_of_string(begin);
  if (end == std::string_view::npos) fail({begin, text_.size()}, "the string has no closing \"");
  at_ = end;
  std::string value;
  const size_t wrong = read_escapes(text({begin + 1, at_ - 1}), value);
  if (wrong != std::string_view::npos) {
    const size_t escape = begin + 1 + wrong;
    fail({escape, escape + 2},
         concatenate("unknown escape '\\", character(escape + 1), "' in a string"));
  }
  return value;
}

TextSpan TextCursor::take_expression(std::string_view stops, std::string_view what) {
  skip();
  const size_t begin = at_;
  int64_t depth = 0;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n' || c == '#' || c == '"') break;
    if (depth == 0 && stops.find(c) != std::string_view::npos) break;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth < 0) break;
  }
  size_t end = at_;
  while (end > begin && is_blank(text_[end - 1])) --end;
  if (end == begin) fail_expected(what);
  return {begin, end};
}

void TextCursor::skip_brackets() {
  constexpr std::string_view kOpening = "([{";
  constexpr std::string_view kClosing = ")]}";
  const size_t open = at_ == 0 ? 0 : at_ - 1;
  std::string awaited(1, kClosing[kOpening.find(character(open))]);
  while (!awaited.empty()) {
    const char c = peek();
    if (at_ >= text_.size()) fail({open, open + 1}, "the bracket is not closed");
    if (c == '"') {
      (void)take_string();
      continue;
    }
    if (const size_t kind = kOpening.find(c); kind != std::string_view::npos) {
      awaited.push_back(kClosing[kind]);
    } else if (kClosing.find(c) != std::string_view::npos) {
      if (c != awaited.back()) fail_expected(concatenate("'", awaited.back(), "'"));
      awaited.pop_back();
    }
    ++at_;
  }
}

// ---- Source locations ----

std::optional<SourceSite> TextCursor::read_site() {
  skip_blanks();
  std::string file;
  if (character(at_) == '"') {
    const size_t end = end_of_string(at_);
    if (end == std::string_view::npos) return std::nullopt;
    if (read_escapes(text({at_ + 1, end - 1}), file) != std::string_view::npos) return std::nullopt;
    at_ = end;
  } else {
    file = text(take_run(kSiteCharacters));
    if (file.empty()) return std::nullopt;
  }
  uint32_t line = 0;
  if (character(at_) != ':') return std::nullopt;
  const char* first = text_.data() + at_ + 1;
  const auto [end, problem] = std::from_chars(first, text_.data() + text_.size(), line);
  if (problem != std::errc()) return std::nullopt;
  at_ = static_cast<size_t>(end - text_.data());
  return SourceSite{intern(file), line};
}

int64_t TextCursor::int_at(TextSpan span) const {
  const std::string_view digits = text(span);
  int64_t whole = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  if (problem != std::errc() || end != digits.data() + digits.size()) {
    fail(span, concatenate("'", digits, "' is not an int"));
  }
  return whole;
}

SourceSite TextCursor::take_site() {
  skip();
  const size_t begin = at_;
  const auto site = read_site();
  if (!site) fail_since(begin, "expected a file and a line, such as model.py:12");
  return *site;
}

TextCursor::Places TextCursor::take_places() {
  constexpr std::string_view kAsked = "asked at ";
  skip_blanks();
  Places places;
  if (character(at_) != '#') return places;
  ++at_;
  skip_blanks();
  const auto read_asked = [&] {
    if (text_.substr(at_, kAsked.size()) != kAsked) return;
    at_ += kAsked.size();
    places.asked = read_site().value_or(SourceSite{});
  };
  if (text_.substr(at_, kAsked.size()) == kAsked) {
    read_asked();
  } else if (character(at_) != '\n') {
    places.user = read_site().value_or(SourceSite{});
    if (text_.substr(at_, 2) == ", ") {
      at_ += 2;
      read_asked();
    }
  }
  skip_blanks();
  if (at_ < text_.size() && character(at_) != '\n') places = {};  // an ordinary comment
  skip_line();
  return places;
}

// ---- Errors ----

void TextCursor::fail(TextSpan span, std::string_view problem, std::string_view advice) const {
  std::string message =
      underline(text_, span.begin, span.end, concatenate(subject_, ": ", problem));
  if (!advice.empty()) message.append("\n  ").append(advice);
  throw Error("ValueError", message);
}

void TextCursor::fail_expected(std::string_view what) {
  skip();
  const size_t begin = at_;
  if (begin >= text_.size()) {
    fail({begin, begin}, concatenate("expected ", what, ", but the text ends"));
  }
  size_t end = begin;
  while (is_word_part(character(end))) ++end;
  if (end == begin) ++end;
  while ((static_cast<unsigned char>(character(end)) & 0xc0) == 0x80) ++end;
  fail({begin, end}, concatenate("expected ", what, ", got '", text({begin, end}), "'"));
}

}  // namespace opwright
