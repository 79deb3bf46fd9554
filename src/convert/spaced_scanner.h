// Common part of the parsers for short texts that authors write about nodes and prototypes. Spaces
// are ignored.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

#include "opwright/base/text_scanner.h"

namespace opwright {

class SpacedScanner : private TextScanner {
 protected:
  explicit SpacedScanner(std::string_view text) : TextScanner(text) {}

  using TextScanner::at_;
  using TextScanner::text_;

  // The next character; 0 at the end.
  char peek() {
    (void)take_while([](char c) { return c == ' '; });
    return TextScanner::peek();
  }
  bool skip(std::string_view word) {
    (void)peek();
    return TextScanner::skip(word);
  }
  // Letters, digits, underscores, and the characters in `more`; empty if there are none.
  std::string scan_word(std::string_view more = "") {
    (void)peek();
    return std::string(take_while([&](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
             more.find(c) != std::string_view::npos;
    }));
  }
};

}  // namespace opwright
