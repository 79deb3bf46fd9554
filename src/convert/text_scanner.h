// Common part of the parsers for short texts that authors write about nodes and prototypes. Spaces
// are ignored.
#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

namespace opwright {

class TextScanner {
 protected:
  explicit TextScanner(std::string_view text) : text_(text) {}

  // The next character; 0 at the end.
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool skip(std::string_view word) {
    (void)peek();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  // Letters, digits, underscores, and the characters in `more`; empty if there are none.
  std::string scan_word(std::string_view more = "") {
    (void)peek();
    const size_t begin = at_;
    const auto is_of_word = [&](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
             more.find(c) != std::string_view::npos;
    };
    while (at_ < text_.size() && is_of_word(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace opwright
