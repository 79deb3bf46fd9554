// The text being parsed, and the format of every error about it: the line with the token
// underlined.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "opwright/base/source_site.h"
#include "opwright/base/suggest.h"

namespace opwright {

// "<problem> at line 2, column 5", the line, and below it the underlined bytes [begin, end). The
// line number is omitted for the first line.
[[nodiscard]] std::string underline(std::string_view text, size_t begin, size_t end,
                                    std::string_view problem);

// Borrows the text.
class SchemaSource {
 public:
  SchemaSource(std::string_view text, SourceSite site) : text_(text), site_(site) {}

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  // Sets the operator name, once it is known: "audio::soft_clip".
  void set_name(std::string name) { name_ = std::move(name); }

  // Throws ValueError: "schema of <name>: <problem> at column <c>", the line, the underlined bytes
  // [begin, end), and on the last line the advice (a sentence) and the place of registration.
  [[noreturn]] void fail(size_t begin, size_t end, std::string_view problem,
                         std::string_view advice = {}) const;

 private:
  std::string_view text_;
  SourceSite site_;
  std::string name_;
};

// "did you mean 'Tensor'?" for the candidate closest to `word`, or empty.
template <class Range>
[[nodiscard]] std::string did_you_mean(std::string_view word, const Range& candidates) {
  const auto nearest = closest(word, candidates);
  return nearest ? "did you mean '" + *nearest + "'?" : "";
}

}  // namespace opwright
