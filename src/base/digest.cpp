#include "opwright/base/digest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace opwright {
namespace {

// The fractions of the square roots of the first eight primes.
constexpr std::array<uint64_t, 8> kStart = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

// The order in which each round uses the words of a block.
constexpr std::array<std::array<uint8_t, 16>, 10> kOrders = {{
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}};
constexpr int kRounds = 12;

// The columns of the 4 x 4 words, then their diagonals.
constexpr std::array<std::array<uint8_t, 4>, 8> kLines = {{{0, 4, 8, 12},
                                                           {1, 5, 9, 13},
                                                           {2, 6, 10, 14},
                                                           {3, 7, 11, 15},
                                                           {0, 5, 10, 15},
                                                           {1, 6, 11, 12},
                                                           {2, 7, 8, 13},
                                                           {3, 4, 9, 14}}};

void mix_line(std::array<uint64_t, 16>& words, const std::array<uint8_t, 4>& line, uint64_t first,
              uint64_t second) {
  uint64_t& a = words[line[0]];
  uint64_t& b = words[line[1]];
  uint64_t& c = words[line[2]];
  uint64_t& d = words[line[3]];
  a += b + first;
  d = std::rotr(d ^ a, 32);
  c += d;
  b = std::rotr(b ^ c, 24);
  a += b + second;
  d = std::rotr(d ^ a, 16);
  c += d;
  b = std::rotr(b ^ c, 63);
}

}  // namespace

Digest::Digest() : state_(kStart), waiting_{} {
  state_[0] ^= 0x01010000 ^ sizeof(Bytes);  // one lane, no key, the length of the digest
}

void Digest::take_block(const std::byte* block, bool is_last) {
  std::array<uint64_t, 16> message;
  std::memcpy(message.data(), block, kBlock);
  std::array<uint64_t, 16> words;
  std::copy(state_.begin(), state_.end(), words.begin());
  std::copy(kStart.begin(), kStart.end(), words.begin() + 8);
  words[12] ^= num_taken_;  // the upper half of the count is 0: inputs are below 2^64 bytes
  if (is_last) words[14] = ~words[14];
  for (int round = 0; round < kRounds; ++round) {
    const auto& order = kOrders[static_cast<size_t>(round) % kOrders.size()];
    for (size_t i = 0; i < kLines.size(); ++i)
      mix_line(words, kLines[i], message[order[2 * i]], message[order[2 * i + 1]]);
  }
  for (size_t i = 0; i < state_.size(); ++i) state_[i] ^= words[i] ^ words[i + 8];
}

Digest& Digest::add(std::span<const std::byte> bytes) {
  // finish() takes the last block, so a full one waits for more data.
  while (!bytes.empty()) {
    if (num_waiting_ == kBlock) {
      num_taken_ += kBlock;
      take_block(waiting_.data(), false);
      num_waiting_ = 0;
    }
    const size_t size = std::min(kBlock - num_waiting_, bytes.size());
    std::memcpy(waiting_.data() + num_waiting_, bytes.data(), size);
    num_waiting_ += size;
    bytes = bytes.subspan(size);
  }
  return *this;
}

Digest& Digest::add_part(std::string_view part) {
  return add(std::to_string(part.size())).add(":").add(part);
}

Digest::Bytes Digest::finish() {
  num_taken_ += num_waiting_;
  std::fill(waiting_.begin() + static_cast<ptrdiff_t>(num_waiting_), waiting_.end(), std::byte{0});
  take_block(waiting_.data(), true);
  Bytes digest;
  std::memcpy(digest.data(), state_.data(), digest.size());
  return digest;
}

std::string Digest::finish_as_hex() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : finish()) {
    text += kDigits[static_cast<size_t>(byte >> 4)];
    text += kDigits[static_cast<size_t>(byte & std::byte{15})];
  }
  return text;
}

}  // namespace opwright
