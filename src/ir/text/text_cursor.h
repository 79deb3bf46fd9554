// A place in the text of a graph, or of a program around one: what every part of the parser reads
// with.
//
// Blanks, line ends and comments (from '#' to the end of the line) may stand between any two parts.
// Every error is a ValueError that shows the line with the part underlined.
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
  // Errors start with `subject`, whose text it is.
  explicit TextCursor(std::string_view text, std::string_view subject = "graph")
      : text_(text), subject_(subject) {}

  [[nodiscard]] size_t at() const noexcept { return at_; }
  // Goes on reading from a place that was read before.
  void seek(size_t place) noexcept { at_ = place; }
  [[nodiscard]] std::string_view text(TextSpan span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }

  // The next character that is not blank, '\0' at the end; and its place.
  [[nodiscard]] char peek();
  [[nodiscard]] size_t next() {
    skip();
    return at_;
  }
  // Where it is not there, the cursor stays.
  bool take_if(std::string_view sign);
  void expect(std::string_view sign);
  // A word of letters, digits and '_' that starts with none of the digits; empty where there is
  // none.
  TextSpan take_word();
  bool take_word_if(std::string_view word);
  // All characters of `characters`, letters and digits.
  TextSpan take_run(std::string_view characters);
  // A string in double quotes; the current character is the first quote.
  std::string take_string();
  // Up to one of `stops` outside of brackets and strings, or the end of the line; without the
  // blanks around it. ValueError where there is nothing.
  TextSpan take_expression(std::string_view stops, std::string_view what);
  // Behind the bracket that closes the one that the cursor is behind of.
  void skip_brackets();

  // model.py:12
  SourceSite take_site();
  // The places that a comment on the rest of this line tells: "# model.py:12, asked at view.cpp:3".
  // A comment that tells none is skipped.
  struct Places {
    SourceSite user;
    SourceSite asked;
  };
  Places take_places();

  [[noreturn]] void fail(TextSpan span, std::string_view problem,
                         std::string_view advice = {}) const;
  // "expected ')', got 'x'" at the next part.
  [[noreturn]] void fail_expected(std::string_view what);
  // At what was read since `begin`.
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
  // npos: it is not closed on its line.
  [[nodiscard]] size_t end_of_string(size_t begin) const;

  std::string_view text_;
  std::string_view subject_;
  size_t at_ = 0;
};

}  // namespace opwright
