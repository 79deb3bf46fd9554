// Digests of contents: BLAKE2b of 256 bits (RFC 7693; hashlib.blake2b(digest_size=32) in Python).
// Collisions are infeasible.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace opwright {

class Digest {
 public:
  using Bytes = std::array<std::byte, 32>;

  Digest();
  Digest& add(std::span<const std::byte> bytes);
  Digest& add(std::string_view text) { return add(std::as_bytes(std::span(text))); }
  // Prefixes the length, so that different lists of parts have different digests.
  Digest& add_part(std::string_view part);

  // Call once, last.
  [[nodiscard]] Bytes finish();
  [[nodiscard]] std::string finish_as_hex();

 private:
  static constexpr size_t kBlock = 128;
  void take_block(const std::byte* block, bool is_last);

  std::array<uint64_t, 8> state_;
  std::array<std::byte, kBlock> waiting_;
  size_t num_waiting_ = 0;
  uint64_t num_taken_ = 0;
};

}  // namespace opwright
