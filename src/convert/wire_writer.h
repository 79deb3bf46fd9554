// Writes the protocol buffers wire format, as far as models need it.
//
// Nested messages are written in place: begin() reserves room for the length, end() fills it in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace opwright {

class WireWriter {
 public:
  void reserve(size_t bytes) { bytes_.reserve(bytes); }
  void integer(uint32_t field, int64_t value);  // varint
  void float32(uint32_t field, float value);
  void text(uint32_t field, std::string_view value);  // strings and bytes
  void text_if(uint32_t field, std::string_view value) {
    if (!value.empty()) text(field, value);
  }
  void packed_integers(uint32_t field, std::span<const int64_t> values);

  [[nodiscard]] size_t begin(uint32_t field);
  void end(size_t begun);

  // Moves the bytes out.
  [[nodiscard]] std::string take() { return std::move(bytes_); }
  [[nodiscard]] size_t size() const noexcept { return bytes_.size(); }

 private:
  void varint(uint64_t value);
  void key(uint32_t field, uint32_t kind) { varint(uint64_t{field} << 3 | kind); }

  std::string bytes_;
};

}  // namespace opwright
