#include "opwright/ops/engine/random/philox.h"

#include <vector>

#include <gtest/gtest.h>

namespace opwright {
namespace {

std::vector<uint32_t> words_of(const PhiloxBlock& block) { return {block.words, block.words + 4}; }

// The known answers published with Random123.
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(words_of(philox({0, 0, 0, 0}, 0, 0)),
            (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(
      words_of(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffff, 0xffffffff)),
      (std::vector<uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      words_of(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0)),
      (std::vector<uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(DrawWords, HasTheWordsOfEachCounter) {
  constexpr uint64_t kSeed = 0x299f31d0a4093822;
  constexpr uint64_t kFirst = 0xfffffff0;  // the next group has another upper word
  std::vector<uint32_t> words(2 * kGroupWords);

  draw_words(kSeed, kFirst, 2, words.data());

  const PhiloxBlock last = philox({0xffffffff, 0, 0, 0}, 0xa4093822, 0x299f31d0);
  EXPECT_EQ((std::vector<uint32_t>{words[15], words[31], words[47], words[63]}), words_of(last));
  const PhiloxBlock next = philox({0, 1, 0, 0}, 0xa4093822, 0x299f31d0);
  EXPECT_EQ((std::vector<uint32_t>{words[64], words[80], words[96], words[112]}), words_of(next));
}

TEST(ElementWords, AreOthersThanThoseOfGroups) {
  ElementWords words(0, 0);

  EXPECT_EQ(words.next(), philox({0, 0, 1, 0}, 0, 0).words[0]);
}

}  // namespace
}  // namespace opwright
