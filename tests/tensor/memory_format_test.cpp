#include "opwright/tensor/memory_format.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "tensor/tensors.h"

namespace opwright {
namespace {

using testing::list;

std::string preserved(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  return to_text(
      std::span<const int64_t>(strides_for_format(sizes, strides, MemoryFormat::Preserve)));
}

TEST(MemoryFormat, HasANameThatParsesBack) {
  EXPECT_STREQ(memory_format_name(MemoryFormat::ChannelsLast3d), "channels_last_3d");
  EXPECT_EQ(parse_memory_format("channels_last"), MemoryFormat::ChannelsLast);
  EXPECT_ERROR(parse_memory_format("chanels_last"), "ValueError",
               "unknown memory format 'chanels_last'; did you mean 'channels_last'? known: "
               "contiguous, preserve, "
               "channels_last, channels_last_3d");
}

TEST(MemoryFormat, IsSuggestedByTheOrderOfStrides) {
  EXPECT_EQ(suggest_memory_format(list({2, 3, 4, 5}), list({60, 20, 5, 1})),
            MemoryFormat::Contiguous);
  EXPECT_EQ(suggest_memory_format(list({2, 3, 4, 5}), list({60, 1, 15, 3})),
            MemoryFormat::ChannelsLast);
  EXPECT_EQ(suggest_memory_format(list({2, 3, 4, 5, 6}), list({360, 1, 90, 18, 3})),
            MemoryFormat::ChannelsLast3d);
  EXPECT_EQ(suggest_memory_format(list({2, 3}), list({3, 1})), MemoryFormat::Contiguous);
  EXPECT_EQ(suggest_memory_format(list({2, 1, 1, 1}), list({1, 1, 1, 1})),
            MemoryFormat::Contiguous);
}

TEST(MemoryFormat, TellsDenseMemoryInAnyOrder) {
  EXPECT_TRUE(is_non_overlapping_and_dense(list({2, 3}), list({1, 2})));
  EXPECT_TRUE(is_non_overlapping_and_dense(list({2, 1, 3}), list({3, 77, 1})));
  EXPECT_FALSE(is_non_overlapping_and_dense(list({2, 3}), list({4, 1})));
  EXPECT_FALSE(is_non_overlapping_and_dense(list({2, 3}), list({0, 1})));
  EXPECT_TRUE(is_non_overlapping_and_dense(list({0, 3}), list({7, 7})));
}

TEST(MemoryFormat, PreservesTheOrderOfDimensions) {
  EXPECT_EQ(preserved({2, 3}, {1, 2}), "[1, 2]");
  EXPECT_EQ(preserved({2, 3}, {1, 4}), "[1, 2]");
  EXPECT_EQ(preserved({2, 3}, {8, 2}), "[3, 1]");
  EXPECT_EQ(preserved({2, 3}, {0, 0}), "[3, 1]");
}

TEST(MemoryFormat, KeepsARepeatedDimensionInItsPlace) {
  EXPECT_EQ(preserved({4, 3}, {0, 6}), "[3, 1]");
  EXPECT_EQ(preserved({2, 3, 2}, {0, 1, 2}), "[6, 1, 3]");
  EXPECT_EQ(preserved({2, 3, 2}, {1, 0, 3}), "[1, 2, 6]");
  EXPECT_EQ(preserved({2, 3, 3}, {8, 4, 8}), "[3, 1, 6]");
}

}  // namespace
}  // namespace opwright
