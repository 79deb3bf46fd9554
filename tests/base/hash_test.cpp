#include "opwright/base/hash.h"

#include <bit>
#include <string>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

namespace opwright {
namespace {

TEST(Hash, IsTheSameForTheSameTextAtAnyAddress) {
  for (size_t length = 0; length < 70; ++length) {
    const std::string text(length, 'x');
    const std::string shifted = "?" + text;
    EXPECT_EQ(hash_string(text), hash_string(std::string_view(shifted).substr(1)));
  }
}

TEST(Hash, DependsOnEveryByteAndOnTheLength) {
  std::unordered_set<uint64_t> seen;
  size_t texts = 0;
  for (size_t length = 0; length < 70; ++length) {
    std::string text(length, '\0');
    ++texts;
    seen.insert(hash_string(text));
    for (char& c : text) {
      c = 1;
      ++texts;
      seen.insert(hash_string(text));
      c = 0;
    }
  }
  EXPECT_EQ(seen.size(), texts);
}

TEST(Hash, FlipsAboutHalfOfItsBitsForOneBitOfTheText) {
  const std::string text = "aten::soft_clip.out";
  int flipped = 0;
  for (size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string other = text;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
    flipped += std::popcount(hash_string(text) ^ hash_string(other));
  }
  const double mean = flipped / static_cast<double>(text.size() * 8);
  EXPECT_GT(mean, 28);
  EXPECT_LT(mean, 36);
}

TEST(Hash, CombinesInOrder) {
  EXPECT_NE(hash_combine(hash_combine(0, 1), 2), hash_combine(hash_combine(0, 2), 1));
  EXPECT_NE(hash_combine(0, 0), hash_combine(0, 1));
}

TEST(Hash, FindsAStringByAView) {
  const std::unordered_set<std::string, StringHash, std::equal_to<>> names = {"aten::add"};
  EXPECT_TRUE(names.contains(std::string_view("aten::add")));
}

}  // namespace
}  // namespace opwright
