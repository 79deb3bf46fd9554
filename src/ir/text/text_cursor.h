// A position in the text of a graph or of a program file; all parts of the parser read with it.
//
// Blanks, line ends and comments (from '#' to the end of the line) may appear between tokens. Every
// error is a ValueError that shows the line with the token underlined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "opwright/base/source_site.h"

namespace opwright {

// Bytes [begin, end) of the text.
struct TextSpan {
  size_t begin = 0;
  size_t end = 0;
};

class TextCursor {
 public:
  // Errors start with `subject`, the name of what the text describes.
  explicit TextCursor(std::string_view text, std::string_view subject = "graph")
      : text_(text), subject_(subject) {}

  [[nodiscard]] size_t at() const noexcept { return at_; }
  // Continues reading at an earlier position.
  void seek(size_t place) noexcept { at_ = place; }
  [[nodiscard]] std::string_view text(TextSpan span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }

  // The next non-blank character, '\0' at the end; and its position.
  [[nodiscard]] char peek();
  [[nodiscard]] size_t next() {
    skip();
    return at_;
  }
  // If the text does not continue with `sign`, the cursor does not move.
  bool take_if(std::string_view sign);
  void expect(std::string_view sign);
  // A word of letters, digits and '_' that does not start with a digit; empty if there is none.
  TextSpan take_word();
  bool take_word_if(std::string_view word);
  // A run of letters, digits and characters of `characters`.
  TextSpan take_run(std::string_view characters);
  // A string in double quotes; the cursor is at the first quote.
  std::string take_string();
  // Reads up to one of `stops` outside brackets and strings, or to the end of the line, without
  // surrounding blanks. ValueError if that is empty.
  TextSpan take_expression(std::string_view stops, std::string_view what);
  // Moves behind the bracket that closes the one just before the cursor.
  void skip_brackets();

  // The int that the span holds; ValueError if it holds something else.
  [[nodiscard]] int64_t int_at(TextSpan span) const;

  // model.py:12
  SourceSite take_site();
  // The source locations in a comment on the rest of this line: "# model.py:12, asked at
  // view.cpp:3". A comment without locations is skipped.
  struct Places {
    SourceSite user;
    SourceSite asked;
  };
  Places take_places();

  [[noreturn]] void fail(TextSpan span, std::string_view problem,
                         std::string_view advice = {}) const;
  // Raises "expected ')', got 'x'" at the next token.
  [[noreturn]] void fail_expected(std::string_view what);
  // Raises an error that underlines the text read since `begin`.
  [[noreturn]] void fail_since(size_t begin, std::string_view problem,
                               std::string_view advice = {}) const {
    fail({begin, at_}, problem, advice);
  }

 private:
  [[nodiscard]] char character(size_t place) const noexcept {
    return place < text_.size() ? text_[place] : '\0';
  }
  void skip();
  void skip_blanks();
  void skip_line();
  std::optional<SourceSite> read_site();
  // npos if the string is not closed on its line.
  [[nodiscard]] size_t end_of_string(size_t begin) const;

  std::string_view text_;
  std::string_view subject_;
  size_t at_ = 0;
};

}  // namespace opwright
