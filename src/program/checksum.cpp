#include "opwright/program/checksum.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opwright {
namespace {

constexpr size_t kStep = 16;                  // bytes that one round of the loop takes
constexpr uint32_t kPolynomial = 0xedb88320;  // bits in reverse

using Tables = std::array<std::array<uint32_t, 256>, kStep>;

// tables[n][b]: what byte b does to the remainder when n bytes follow it in the same round.
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

uint32_t byte_at(std::string_view bytes, size_t place) {
  return static_cast<unsigned char>(bytes[place]);
}

}  // namespace

uint32_t checksum(std::string_view bytes) noexcept {
  uint32_t remainder = 0xffffffff;
  for (; bytes.size() >= kStep; bytes.remove_prefix(kStep)) {
    uint32_t next = 0;
    for (size_t i = 0; i < kStep; ++i) {
      const uint32_t before = i < 4 ? (remainder >> (8 * i)) & 0xff : 0;
      next ^= kTables[kStep - 1 - i][byte_at(bytes, i) ^ before];
    }
    remainder = next;
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    remainder = (remainder >> 8) ^ kTables[0][(remainder & 0xff) ^ byte_at(bytes, i)];
  }
  return ~remainder;
}

}  // namespace opwright
