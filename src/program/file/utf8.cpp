#include "opwright/program/file/utf8.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace opwright {
namespace {

constexpr uint64_t kHighBits = 0x8080808080808080;

// The length of the character at the start of `bytes`, whose first byte is not ASCII; 0 if invalid.
size_t character_length(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || bytes.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(bytes[i]) & 0xc0) != 0x80) return 0;
  }
  const auto second = static_cast<unsigned char>(bytes[1]);
  const bool is_too_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool is_surrogate = first == 0xed && second >= 0xa0;
  const bool is_too_large = first == 0xf4 && second >= 0x90;
  return is_too_long || is_surrogate || is_too_large ? 0 : length;
}

}  // namespace

size_t find_non_utf8(std::string_view bytes) noexcept {
  size_t at = 0;
  while (at < bytes.size()) {
    uint64_t word = kHighBits;
    if (bytes.size() - at >= sizeof(word)) std::memcpy(&word, bytes.data() + at, sizeof(word));
    if ((word & kHighBits) == 0) {
      at += sizeof(word);
      continue;
    }
    const bool is_ascii = static_cast<unsigned char>(bytes[at]) < 0x80;
    const size_t length = is_ascii ? 1 : character_length(bytes.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

}  // namespace opwright
