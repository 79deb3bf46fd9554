#include "command/option_reader.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "command/options.h"
#include "opwright/base/suggest.h"
#include "opwright/error.h"

namespace opwright::command {

bool OptionReader::next() {
  attached_.reset();
  if (place_ == words_.size()) return false;
  word_ = words_[place_++];
  if (word_ == "--" && !is_past_options_) {
    is_past_options_ = true;
    return next();
  }
  is_option_ = !is_past_options_ && word_.size() > 1 && word_.front() == '-';
  const size_t equals = word_.find('=');
  if (is_option_ && equals != std::string::npos) {
    attached_ = word_.substr(equals + 1);
    word_.resize(equals);
  }
  return true;
}

std::string OptionReader::take_value() {
  if (attached_) return *std::exchange(attached_, std::nullopt);
  if (place_ == words_.size()) throw UsageError(concatenate(word_, " needs a value"));
  return words_[place_++];
}

std::optional<std::string> OptionReader::take_value_ending(std::string_view ending) {
  if (attached_) return take_value();
  if (place_ == words_.size()) return std::nullopt;
  const std::string& following = words_[place_];
  if (following.starts_with('-') || !following.ends_with(ending)) return std::nullopt;
  return take_value();
}

int64_t OptionReader::take_int(int64_t least, int64_t greatest) {
  const int64_t value = parse_int(word_, take_value());
  if (value >= least && value <= greatest) return value;
  throw UsageError(concatenate(word_, " must be from ", least, " to ", greatest, ", got ", value));
}

void OptionReader::refuse_value() const {
  if (attached_) throw UsageError(concatenate(word_, " takes no value, got '", *attached_, "'"));
}

void OptionReader::refuse_option(std::initializer_list<std::string_view> known) const {
  const std::optional<std::string> meant = closest(word_, known);
  throw UsageError(concatenate("unknown option ", word_,
                               meant ? concatenate(", did you mean ", *meant, "?") : ""));
}

int64_t parse_int(std::string_view what, std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text.empty())
    throw UsageError(concatenate(what, " must be a whole number, got '", text, "'"));
  return value;
}

}  // namespace opwright::command
