// Reads the words of a command line one by one.
//
// An option's value is the next word or follows "=": `--repeat 100`, `--repeat=100`. After "--"
// nothing is an option.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace opwright::command {

class OptionReader {
 public:
  explicit OptionReader(std::span<const std::string> words) : words_(words) {}

  // Moves to the next word; false at the end.
  [[nodiscard]] bool next();
  [[nodiscard]] bool is_option() const noexcept { return is_option_; }
  // The option without its value, or the word.
  [[nodiscard]] const std::string& word() const noexcept { return word_; }

  // The value of the option. UsageError if there is none.
  [[nodiscard]] std::string take_value();
  // The value, if there is one that is not an option and ends with `ending`.
  [[nodiscard]] std::optional<std::string> take_value_ending(std::string_view ending);
  // UsageError if the value is not a number from `least` to `greatest`.
  [[nodiscard]] int64_t take_int(int64_t least, int64_t greatest);
  // UsageError if the option has a value but accepts none.
  void refuse_value() const;

  // UsageError that suggests the closest option.
  [[noreturn]] void refuse_option(std::initializer_list<std::string_view> known) const;

 private:
  std::span<const std::string> words_;
  size_t place_ = 0;
  std::string word_;
  std::optional<std::string> attached_;  // the text after "="
  bool is_option_ = false;
  bool is_past_options_ = false;
};

// UsageError naming `what`.
[[nodiscard]] int64_t parse_int(std::string_view what, std::string_view text);

}  // namespace opwright::command
