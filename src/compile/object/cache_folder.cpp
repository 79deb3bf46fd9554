#include "opwright/compile/object/cache_folder.h"

#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <pwd.h>

#include "opwright/error.h"

namespace opwright {
namespace {

constexpr uint64_t kDefaultBytes = uint64_t{1} << 30;

std::string path_of(const std::string& base, const char* name) {
  return base.ends_with('/') ? base + name : concatenate(base, "/", name);
}

std::string home_folder() {
  if (const char* home = std::getenv("HOME"); home && *home) return home;
  const passwd* user = getpwuid(geteuid());
  return user && user->pw_dir ? user->pw_dir : "";
}

}  // namespace

std::string cache_folder() {
  if (const char* chosen = std::getenv("OPWRIGHT_CACHE_DIR"); chosen && *chosen) {
    const std::string text = chosen;
    const bool is_in_home = text == "~" || text.starts_with("~/");
    return is_in_home ? home_folder() + text.substr(1) : text;
  }
  if (const char* base = std::getenv("XDG_CACHE_HOME"); base && *base)
    return path_of(base, "opwright");
  const std::string home = home_folder();
  return home.empty() ? "" : path_of(home, ".cache/opwright");
}

uint64_t cache_size_limit() {
  const char* text = std::getenv("OPWRIGHT_CACHE_SIZE");
  if (!text || !*text) return kDefaultBytes;
  const std::optional<uint64_t> size = parse_byte_size(text);
  OPWRIGHT_CHECK_VALUE(size, "OPWRIGHT_CACHE_SIZE: a size must be like 500M, 2G or 1048576, got '",
                       text, "'");
  return *size;
}

std::optional<uint64_t> parse_byte_size(std::string_view text) {
  const auto drop = [&text](char upper) {
    if (text.empty() || (text.back() & ~0x20) != upper) return false;
    text.remove_suffix(1);
    return true;
  };
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  drop('B');
  drop('I');
  double unit = 1;
  for (const char letter : {'T', 'G', 'M', 'K'}) {
    if (unit > 1 || drop(letter)) unit *= 0x1p10;
  }
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const double bytes = number * unit;
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(bytes >= 0 && bytes < 0x1p63)) return std::nullopt;
  return static_cast<uint64_t>(bytes);
}

}  // namespace opwright
