#include "opwright/program/file/checksum.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace opwright {
namespace {

constexpr size_t kStep = 16;                  // bytes per iteration of the loop
constexpr uint32_t kPolynomial = 0xedb88320;  // bits reversed

using Tables = std::array<std::array<uint32_t, 256>, kStep>;

// tables[n][b]: the effect of byte b on the remainder if n bytes follow it in the same iteration.
constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? kPolynomial : 0);
    }
    tables[0][byte] = remainder;
  }
  for (size_t n = 1; n < kStep; ++n) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[n - 1][byte];
      tables[n][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}
constexpr Tables kTables = make_tables();

using Words = std::array<uint32_t, kStep / 4>;

// The remainder after all bytes of the words, lowest first.
template <size_t... I>
uint32_t take_step(const Words& words, std::index_sequence<I...> /*bytes*/) {
  return (kTables[kStep - 1 - I][words[I / 4] >> (8 * (I % 4)) & 0xff] ^ ...);
}

}  // namespace

uint32_t checksum(std::string_view bytes) noexcept {
  uint32_t remainder = 0xffffffff;
  for (; bytes.size() >= kStep; bytes.remove_prefix(kStep)) {
    Words words;
    std::memcpy(words.data(), bytes.data(), kStep);
    words[0] ^= remainder;
    remainder = take_step(words, std::make_index_sequence<kStep>());
  }
  for (const char byte : bytes) {
    remainder =
        (remainder >> 8) ^ kTables[0][(remainder ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return ~remainder;
}

}  // namespace opwright
