// A position in a short text that is being parsed. Parsers derive from it and add their errors.
#pragma once

#include <cstddef>
#include <string_view>

namespace opwright {

class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : text_(text) {}

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
  // Reads characters while they match; may be empty.
  template <class Fits>
  std::string_view take_while(const Fits& fits) {
    const size_t begin = at_;
    while (!is_at_end() && fits(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

 protected:
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace opwright
