#include "opwright/convert/wire_writer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace opwright {
namespace {

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char each : bytes) {
    const auto byte = static_cast<uint8_t>(each);
    if (!text.empty()) text += ' ';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

TEST(WireWriter, SmallNumbersAreOneByteBehindTheKey) {
  WireWriter out;
  out.integer(1, 7);

  EXPECT_EQ(hex(out.take()), "08 07");
}

TEST(WireWriter, LargeNumbersAreWrittenSevenBitsAtATime) {
  WireWriter out;
  out.integer(20, 300);

  EXPECT_EQ(hex(out.take()), "a0 01 ac 02");
}

TEST(WireWriter, NegativeNumbersTakeTenBytes) {
  WireWriter out;
  out.integer(3, -1);

  EXPECT_EQ(hex(out.take()), "18 ff ff ff ff ff ff ff ff ff 01");
}

TEST(WireWriter, FloatsAreFourBytesLowestFirst) {
  WireWriter out;
  out.float32(2, 0.5F);

  EXPECT_EQ(hex(out.take()), "15 00 00 00 3f");
}

TEST(WireWriter, TextsHaveTheirLengthInFrontAndEmptyOnesMayBeLeftOut) {
  WireWriter out;
  out.text(4, "Add");
  out.text(1, "");
  out.text_if(6, "");

  EXPECT_EQ(hex(out.take()), "22 03 41 64 64 0a 00");
}

TEST(WireWriter, PackedNumbersAreOneField) {
  WireWriter out;
  out.packed_integers(8, std::vector<int64_t>{1, 128, 3});

  EXPECT_EQ(hex(out.take()), "42 04 01 80 01 03");
}

TEST(WireWriter, MessagesInsideOfMessagesKnowTheirLength) {
  WireWriter out;
  const size_t outer = out.begin(7);
  out.integer(1, 1);
  const size_t inner = out.begin(2);
  out.text(3, "x");
  out.end(inner);
  out.end(outer);
  out.integer(8, 2);

  EXPECT_EQ(hex(out.take()), "3a 07 08 01 12 03 1a 01 78 40 02");
}

TEST(WireWriter, AnEmptyMessageHasLengthZero) {
  WireWriter out;
  out.end(out.begin(2));

  EXPECT_EQ(hex(out.take()), "12 00");
}

// For 127, 128, 16383, 16384, 2^21 - 1 and 2^21 bytes: where the length grows by a byte.
class WireWriterOfALongMessage : public ::testing::TestWithParam<size_t> {};

TEST_P(WireWriterOfALongMessage, IsReadBackAtItsLength) {
  WireWriter out;
  const size_t begun = out.begin(1);
  out.text(2, std::string(GetParam(), 'x'));
  out.end(begun);
  out.integer(3, 9);
  const std::string bytes = out.take();

  size_t at = 1;
  uint64_t length = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes[at++]);
    length |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) break;
  }

  EXPECT_EQ(hex(std::string_view(bytes).substr(at + length)), "18 09");
}

INSTANTIATE_TEST_SUITE_P(Lengths, WireWriterOfALongMessage,
                         ::testing::Values(100, 125, 126, 127, 128, 16380, 16384, (1 << 21) - 5,
                                           1 << 21));

}  // namespace
}  // namespace opwright
