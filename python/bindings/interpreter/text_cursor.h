// A position in a text that is being parsed; errors show it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "opwright/base/text_scanner.h"
#include "opwright/error.h"

namespace opwright::python {

class TextCursor : public TextScanner {
 public:
  // `what` is the name of the text in errors: "the structure of the arguments".
  TextCursor(std::string_view text, std::string_view what) : TextScanner(text), what_(what) {}

  void expect(std::string_view token) {
    if (!skip(token)) fail("expected '", token, "'");
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
  std::string_view what_;
};

}  // namespace opwright::python
