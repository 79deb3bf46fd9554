#include "opwright/run/placement.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/run/arena.h"

namespace opwright {
namespace {

bool meet(const Lifetime& a, const Lifetime& b) { return a.born <= b.died && b.born <= a.died; }

// The number of pairs that overlap in both time and memory.
size_t count_overlaps(const std::vector<Lifetime>& lives, const Placement& placement) {
  size_t count = 0;
  for (size_t i = 0; i < lives.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const size_t a = placement.offsets[i];
      const size_t b = placement.offsets[j];
      const bool share = a < b + lives[j].bytes && b < a + lives[i].bytes;
      count += share && meet(lives[i], lives[j]) ? 1 : 0;
    }
  }
  return count;
}

TEST(Placement, UsesTheMemoryOfWhatHasEnded) {
  const std::vector<Lifetime> chain{{1000, 0, 2}, {1000, 1, 4}, {1000, 3, 6}, {1000, 5, 8}};

  const Placement placement = place(chain);

  EXPECT_EQ(placement.bytes, 2048);
  EXPECT_EQ(placement.offsets, (std::vector<size_t>{0, 1024, 0, 1024}));
}

TEST(Placement, FillsTheSmallestGapThatFits) {
  const std::vector<Lifetime> lives{{640, 0, 9}, {320, 0, 3}, {512, 0, 9},
                                    {256, 5, 9}, {128, 0, 9}, {64, 5, 9}};

  const Placement placement = place(lives);

  EXPECT_EQ(count_overlaps(lives, placement), 0);
  EXPECT_EQ(placement.bytes, 640 + 512 + 320 + 128);
  EXPECT_EQ(placement.offsets[5], placement.offsets[3] + 256);
}

TEST(Placement, LeavesOutWhatHasNoBytes) {
  const std::vector<Lifetime> lives{{0, 0, 1}, {64, 0, 1}};

  EXPECT_EQ(place(lives).offsets, (std::vector<size_t>{kNotPlaced, 0}));
}

TEST(Placement, KeepsApartWhatLivesTogether) {
  std::mt19937 dice(11);
  for (int round = 0; round < 50; ++round) {
    std::vector<Lifetime> lives;
    size_t sum = 0;
    for (uint32_t i = 0; i < 60; ++i) {
      lives.push_back({1 + dice() % 5000, 2 * i, 2 * i + 1 + static_cast<uint32_t>(dice() % 30)});
      sum += lives.back().bytes;
    }

    const Placement placement = place(lives);

    EXPECT_EQ(count_overlaps(lives, placement), 0);
    EXPECT_LT(placement.bytes, sum);
  }
}

class ArenaTest : public ::testing::Test {
 protected:
  static constexpr size_t kBytes = 256;
  // The first two are side by side, the third spans both.
  std::vector<Lifetime> lives_{{kBytes, 0, 1}, {kBytes, 0, 1}, {2 * kBytes, 2, 3}};
  Placement placement_ = place(lives_);
  ArenaPtr arena_ = Arena::make(lives_, placement_);
};

TEST_F(ArenaTest, GivesAPlaceOutOnlyWhileNothingLiesThere) {
  ServedMemory first;
  ServedMemory second;
  ServedMemory over;
  ASSERT_TRUE(arena_->take(0, first));
  ASSERT_TRUE(arena_->take(1, second));
  EXPECT_FALSE(arena_->take(0, over));
  EXPECT_FALSE(arena_->take(2, over));

  first.deleter(first.context);
  EXPECT_FALSE(arena_->take(2, over));
  second.deleter(second.context);

  ASSERT_TRUE(arena_->take(2, over));
  EXPECT_FALSE(arena_->take(1, second));
  over.deleter(over.context);
}

TEST_F(ArenaTest, LivesAsLongAsWhatLiesInIt) {
  ServedMemory held;
  ASSERT_TRUE(arena_->take(2, held));
  arena_.reset();

  auto* bytes = static_cast<unsigned char*>(held.data);
  bytes[0] = 1;
  bytes[2 * kBytes - 1] = 2;

  EXPECT_EQ(bytes[0] + bytes[2 * kBytes - 1], 3);
  held.deleter(held.context);
}

}  // namespace
}  // namespace opwright
