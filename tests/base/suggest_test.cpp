#include "opwright/base/suggest.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace opwright {
namespace {

TEST(EditDistance, CountsInsertionsRemovalsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("tensor", "tensor"), 0u);
  EXPECT_EQ(edit_distance("tensr", "tensor"), 1u);
  EXPECT_EQ(edit_distance("tensoor", "tensor"), 1u);
  EXPECT_EQ(edit_distance("tenser", "tensor"), 1u);
  EXPECT_EQ(edit_distance("tesnor", "tensor"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
}

TEST(Closest, FindsTheMisspelledName) {
  const std::vector<std::string> types = {"int", "float", "Tensor", "Scalar"};
  EXPECT_EQ(closest("Tensr", types), "Tensor");
  EXPECT_EQ(closest("flaot", types), "float");
}

TEST(Closest, IgnoresCase) {
  const std::vector<const char*> keys = {"CPU", "CUDA"};
  EXPECT_EQ(closest("cuda", keys), "CUDA");
}

TEST(Closest, SuggestsNothingThatIsFarAway) {
  const std::vector<std::string> types = {"int", "float", "Tensor", "x"};
  EXPECT_EQ(closest("Generator", types), std::nullopt);
  EXPECT_EQ(closest("y", types), std::nullopt);
  EXPECT_EQ(closest("", types), std::nullopt);
}

TEST(Closest, GivesSeveralNamesNearestFirst) {
  const std::vector<std::string> names = {"soft_clop", "soft_clips", "hard_clip", "sift_clop",
                                          "soft_clp"};
  EXPECT_EQ(closest_names("soft_clip", names, 2),
            (std::vector<std::string>{"soft_clop", "soft_clips"}));
  EXPECT_EQ(closest_names("soft_clip", names, 9),
            (std::vector<std::string>{"soft_clop", "soft_clips", "soft_clp", "sift_clop"}));
}

}  // namespace
}  // namespace opwright
