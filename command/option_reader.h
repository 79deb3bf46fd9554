// Reads the words of a command line one after the other.
//
// An option's value is the next word or stands after "=": `--repeat 100`, `--repeat=100`. After
// "--" nothing is an option.
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

  // Goes to the next word. False at the end.
  [[nodiscard]] bool next();
  [[nodiscard]] bool is_option() const noexcept { return is_option_; }
  // The option without its value, or the word.
  [[nodiscard]] const std::string& word() const noexcept { return word_; }

  // The value of the option. UsageError where there is none.
  [[nodiscard]] std::string take_value();
  // The value where there is one that is no option and ends with `ending`.
  [[nodiscard]] std::optional<std::string> take_value_ending(std::string_view ending);
  // UsageError for what is no number, or not from `least` to `greatest`.
  [[nodiscard]] int64_t take_int(int64_t least, int64_t greatest);
  // UsageError for an option that has a value and takes none.
  void refuse_value() const;

  // UsageError with the option that comes closest.
  [[noreturn]] void refuse_option(std::initializer_list<std::string_view> known) const;

 private:
  std::span<const std::string> words_;
  size_t place_ = 0;
  std::string word_;
  std::optional<std::string> attached_;  // what stood after "="
  bool is_option_ = false;
  bool is_past_options_ = false;
};

// UsageError naming `what`.
[[nodiscard]] int64_t parse_int(std::string_view what, std::string_view text);

}  // namespace opwright::command
