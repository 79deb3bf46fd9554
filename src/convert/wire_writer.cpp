#include "opwright/convert/wire_writer.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace opwright {
namespace {

enum WireKind : uint8_t { kVarint = 0, kLengthPrefixed = 2, kFixed32 = 5 };

// Room for the length of a message, which end() closes up. A message of megabytes keeps it: readers
// accept a number with trailing zeros, and moving the message would cost more.
constexpr size_t kLengthBytes = 5;
constexpr uint64_t kLeastUnmoved = uint64_t{1} << 21;

}  // namespace

void WireWriter::varint(uint64_t value) {
  while (value >= 0x80) {
    bytes_.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  bytes_.push_back(static_cast<char>(value));
}

void WireWriter::integer(uint32_t field, int64_t value) {
  key(field, kVarint);
  varint(static_cast<uint64_t>(value));
}

void WireWriter::float32(uint32_t field, float value) {
  key(field, kFixed32);
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes_.append(raw, sizeof value);
}

void WireWriter::text(uint32_t field, std::string_view value) {
  key(field, kLengthPrefixed);
  varint(value.size());
  bytes_.append(value);
}

void WireWriter::packed_integers(uint32_t field, std::span<const int64_t> values) {
  const size_t begun = begin(field);
  for (const int64_t value : values) varint(static_cast<uint64_t>(value));
  end(begun);
}

size_t WireWriter::begin(uint32_t field) {
  key(field, kLengthPrefixed);
  const size_t begun = bytes_.size();
  bytes_.append(kLengthBytes, '\0');
  return begun;
}

void WireWriter::end(size_t begun) {
  uint64_t length = bytes_.size() - begun - kLengthBytes;
  size_t used = kLengthBytes;
  if (length < kLeastUnmoved) {
    used = length < 0x80 ? 1 : length < 0x4000 ? 2 : 3;
    std::memmove(bytes_.data() + begun + used, bytes_.data() + begun + kLengthBytes, length);
    bytes_.resize(begun + used + length);
  }
  for (size_t i = 0; i < used; ++i) {
    bytes_[begun + i] = static_cast<char>((length & 0x7f) | (i + 1 == used ? 0 : 0x80));
    length >>= 7;
  }
}

}  // namespace opwright
