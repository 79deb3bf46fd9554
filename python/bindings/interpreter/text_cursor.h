// A position in a text that is being parsed; errors show it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "opwright/error.h"

namespace opwright::python {

class TextCursor {
 public:
  // `what` is the name of the text in errors: "the structure of the arguments".
  TextCursor(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  [[nodiscard]] bool is_at_end() const noexcept { return at_ == text_.size(); }
  // Zero at the end.
  [[nodiscard]] char peek() const noexcept { return is_at_end() ? '\0' : text_[at_]; }
  char next() noexcept { return is_at_end() ? '\0' : text_[at_++]; }
  [[nodiscard]] bool starts_with(std::string_view prefix) const noexcept {
    return text_.substr(at_).starts_with(prefix);
  }

  // Moves past `token` if it is here.
  bool skip(std::string_view token) noexcept {
    if (!starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!skip(token)) fail("expected '", token, "'");
  }
  // Reads characters while they match; may be empty.
  template <class Fits>
  std::string_view take_while(const Fits& fits) {
    const size_t begin = at_;
    while (!is_at_end() && fits(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // ValueError: the problem, and the surrounding text with this position marked.
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... problem) const {
    constexpr size_t kShown = 60;
    const size_t begin = at_ > kShown / 2 ? at_ - kShown / 2 : 0;
    std::string line(text_.substr(begin, kShown));
    for (char& character : line) {
      if (static_cast<unsigned char>(character) < ' ') character = ' ';
    }
    throw_error("ValueError", what_, ": ", problem..., " at column ", at_ + 1, "\n    ", line,
                "\n    ", std::string(at_ - begin, ' '), "^");
  }

 private:
  std::string_view text_;
  std::string_view what_;
  size_t at_ = 0;
};

}  // namespace opwright::python
