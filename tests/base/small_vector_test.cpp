#include "opwright/base/small_vector.h"

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace opwright {
namespace {

using Strings = SmallVector<std::string, 2>;
const std::string kLong = "a text that is too long for the string's own buffer";

// Throws at copy number `copies_left`, and counts live objects.
struct Fragile {
  static inline int copies_left = 0;
  static inline int alive = 0;
  Fragile() { ++alive; }
  Fragile(const Fragile&) {
    if (copies_left-- == 0) throw std::runtime_error("copy");
    ++alive;
  }
  Fragile(Fragile&&) noexcept { ++alive; }
  Fragile& operator=(const Fragile&) = default;
  ~Fragile() { --alive; }
};

TEST(SmallVector, KeepsTheFirstElementsInline) {
  SmallVector<int, 3> vector = {1, 2, 3};
  EXPECT_TRUE(vector.is_inline());
  vector.push_back(4);
  EXPECT_FALSE(vector.is_inline());
  EXPECT_EQ(vector, (SmallVector<int, 3>{1, 2, 3, 4}));
}

TEST(SmallVector, PushesItsOwnElementWhileItGrows) {
  Strings vector = {kLong, "b"};
  vector.push_back(vector[0]);
  EXPECT_EQ(vector, (Strings{kLong, "b", kLong}));
}

TEST(SmallVector, MovesStealTheHeapBuffer) {
  Strings vector = {kLong, "b", "c"};
  const std::string* elements = vector.data();

  const Strings moved = std::move(vector);
  EXPECT_EQ(moved.data(), elements);
  EXPECT_TRUE(vector.empty());  // NOLINT(bugprone-use-after-move): guaranteed to be empty
  EXPECT_TRUE(vector.is_inline());
}

TEST(SmallVector, MovesInlineElementsOneByOne) {
  SmallVector<std::unique_ptr<int>, 2> vector;
  vector.push_back(std::make_unique<int>(7));

  auto moved = std::move(vector);
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(*moved[0], 7);
  EXPECT_TRUE(vector.empty());  // NOLINT(bugprone-use-after-move)
}

TEST(SmallVector, AssignsFromCopiesAndMovesOfEitherKind) {
  const Strings small = {"a"};
  const Strings large = {"a", "b", kLong};
  Strings vector = large;
  vector = small;
  EXPECT_EQ(vector, small);
  vector = large;
  EXPECT_EQ(vector, large);
  vector = Strings{"x"};
  EXPECT_EQ(vector, Strings{"x"});
  vector = Strings{"x", "y", "z"};
  EXPECT_EQ(vector.size(), 3u);
}

TEST(SmallVector, ResizesWithZerosOrAGivenValue) {
  SmallVector<int, 2> vector = {5};
  vector.resize(4);
  EXPECT_EQ(vector, (SmallVector<int, 2>{5, 0, 0, 0}));
  vector.resize(1);
  vector.resize(3, vector[0]);
  EXPECT_EQ(vector, (SmallVector<int, 2>{5, 5, 5}));
}

TEST(SmallVector, InsertsAValueOrARangeAnywhere) {
  Strings vector = {"a", "d"};
  const std::vector<std::string> middle = {"b", "c"};

  EXPECT_EQ(*vector.insert(vector.begin() + 1, middle.begin(), middle.end()), "b");
  EXPECT_EQ(*vector.insert(vector.begin(), "first"), "first");
  vector.insert(vector.end(), "last");
  EXPECT_EQ(vector, (Strings{"first", "a", "b", "c", "d", "last"}));
}

TEST(SmallVector, ErasesAValueOrARange) {
  Strings vector = {"a", "b", "c", "d", "e"};
  EXPECT_EQ(*vector.erase(vector.begin()), "b");
  EXPECT_EQ(*vector.erase(vector.begin() + 1, vector.begin() + 3), "e");
  EXPECT_EQ(vector, (Strings{"b", "e"}));
  vector.pop_back();
  vector.clear();
  EXPECT_TRUE(vector.empty());
}

TEST(SmallVector, ConvertsToASpan) {
  SmallVector<int, 2> vector = {1, 2, 3};
  const std::span<const int> read = vector;
  const std::span<int> written = vector;
  written[0] = 9;
  EXPECT_EQ(read[0], 9);
  EXPECT_EQ((SmallVector<int, 2>(read)), vector);
}

TEST(SmallVector, ComparesSizesAndElements) {
  EXPECT_NE((SmallVector<int, 2>{1, 2}), (SmallVector<int, 2>{1, 2, 3}));
  EXPECT_NE((SmallVector<int, 2>{1, 2}), (SmallVector<int, 2>{1, 3}));
}

TEST(SmallVector, StaysAsItWasWhenACopyThrows) {
  Fragile::alive = 0;
  {
    SmallVector<Fragile, 2> vector(2);
    Fragile::copies_left = 0;
    EXPECT_THROW(vector.push_back(vector[0]), std::runtime_error);
    EXPECT_EQ(vector.size(), 2u);
    EXPECT_TRUE(vector.is_inline());
  }
  EXPECT_EQ(Fragile::alive, 0);
}

TEST(SmallVector, LeaksNothingWhenItsOwnConstructionThrows) {
  Fragile::alive = 0;
  {
    const SmallVector<Fragile, 2> source(4);
    Fragile::copies_left = 3;
    EXPECT_THROW((SmallVector<Fragile, 2>(source)), std::runtime_error);
  }
  EXPECT_EQ(Fragile::alive, 0);
}

}  // namespace
}  // namespace opwright
