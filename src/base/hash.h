// Hashes for tables in memory: fast, not stable between versions, not safe against chosen keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace opwright {

// Both halves of the 128-bit product: every bit of the operands reaches the middle of the result.
inline uint64_t mix(uint64_t a, uint64_t b) noexcept {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Hash of `seed` and `value`; the order matters.
[[nodiscard]] inline uint64_t hash_combine(uint64_t seed, uint64_t value) noexcept {
  return mix(seed ^ 0x9e3779b97f4a7c15, value ^ 0xd6e8feb86659fd93);
}

[[nodiscard]] inline uint64_t hash_bytes(const void* bytes, size_t size,
                                         uint64_t seed = 0) noexcept {
  constexpr uint64_t kFirst = 0xa0761d6478bd642f;  // odd, half of the bits set
  constexpr uint64_t kSecond = 0xe7037ed1a0b428db;
  const auto read_8 = [](const char* from) {
    uint64_t word;
    std::memcpy(&word, from, 8);
    return word;
  };
  const auto read_4 = [](const char* from) {
    uint32_t word;
    std::memcpy(&word, from, 4);
    return uint64_t{word};
  };
  const auto read_1 = [](const char* from) { return uint64_t{static_cast<unsigned char>(*from)}; };

  const char* at = static_cast<const char*>(bytes);
  uint64_t state = seed ^ kFirst;
  size_t left = size;
  for (; left > 16; left -= 16, at += 16) state = mix(read_8(at) ^ kSecond, read_8(at + 8) ^ state);
  // The last 1 to 16 bytes as two words that may overlap.
  uint64_t a = 0;
  uint64_t b = 0;
  if (left >= 8) {
    a = read_8(at);
    b = read_8(at + left - 8);
  } else if (left >= 4) {
    a = read_4(at);
    b = read_4(at + left - 4);
  } else if (left > 0) {
    a = read_1(at) << 16 | read_1(at + left / 2) << 8 | read_1(at + left - 1);
  }
  return mix(kSecond ^ size, mix(a ^ kSecond, b ^ state));
}

[[nodiscard]] inline uint64_t hash_string(std::string_view text) noexcept {
  return hash_bytes(text.data(), text.size());
}

// For unordered containers of strings that are searched by string_view.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const noexcept { return hash_string(text); }
};

}  // namespace opwright
