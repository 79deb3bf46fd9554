// Covers: src/ops/join/*, src/ops/pad/*.
#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::floats;
using testing::range;
using testing::sizes;
using testing::tensor_of;

TEST(Cat, JoinsAlongADimension) {
  const std::vector<Tensor> both{range({2, 1}), range({2, 2})};

  EXPECT_EQ(floats(cat(both, 1)), (std::vector<float>{0, 0, 1, 1, 2, 3}));
  EXPECT_EQ(cat(std::vector<Tensor>{range({1}), tensor_of<int64_t>({1}, {3})}).dtype(),
            DType::Float32);
}

TEST(Cat, NamesSizesThatDiffer) {
  const std::vector<Tensor> both{range({2, 1}), range({3, 2})};

  EXPECT_ERROR_CONTAINS(cat(both, 1), "ValueError",
                        "cat: sizes must be equal but in dimension 1, got [2, 1] and [3, 2]");
  EXPECT_ERROR_CONTAINS(cat(std::vector<Tensor>{}), "ValueError",
                        "cat: there must be at least one tensor");
  EXPECT_ERROR_CONTAINS(cat(std::vector<Tensor>{range({})}), "RuntimeError",
                        "cat: tensor 0 has zero dimensions; stack joins such tensors");
  EXPECT_ERROR_CONTAINS(cat(std::vector<Tensor>{range({2}), range({2, 1})}), "RuntimeError",
                        "cat: all tensors must have the same number of dimensions, tensor 1 is "
                        "float32[2, 1] after float32[2]");
}

TEST(Cat, AddsSymbols) {
  testing::TestOwner owner;
  const Tensor x = make_fake(SymSizes{owner.backed("s0", 5), 4}, DType::Float32, kCpu);
  const Tensor y = make_fake(SymSizes{3, 4}, DType::Float32, kCpu);

  std::string text;
  append_text(text, cat(std::vector<Tensor>{x, y}).sym_size(0));

  EXPECT_EQ(text, "s0 + 3");
}

TEST(Stack, AddsADimension) {
  const std::vector<Tensor> both{range({2}), range({2})};

  EXPECT_EQ(sizes(stack(both, -1)), (std::vector<int64_t>{2, 2}));
  EXPECT_ERROR_CONTAINS(stack(std::vector<Tensor>{range({2}), range({3})}), "ValueError",
                        "stack: all tensors must have the same sizes, got [2] and [3]");
}

TEST(Repeat, NamesEveryDimension) {
  EXPECT_EQ(floats(range({2}).repeat({2, 2})), (std::vector<float>{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_ERROR_CONTAINS(range({2, 3}).repeat({2}), "RuntimeError",
                        "repeat: repeats [2] must name every dimension of self, whose sizes are "
                        "[2, 3]");
}

TEST(Flip, ReversesDimensions) {
  EXPECT_EQ(floats(range({2, 2}).flip({0, 1})), (std::vector<float>{3, 2, 1, 0}));
  EXPECT_ERROR_CONTAINS(range({2}).flip({1}), "IndexError", "flip: dimension 1 is out of range");
}

TEST(Roll, MovesElementsAround) {
  EXPECT_EQ(floats(range({4}).roll({1}, {0})), (std::vector<float>{3, 0, 1, 2}));
  EXPECT_EQ(floats(range({2, 2}).roll({-1})), (std::vector<float>{1, 2, 3, 0}));
}

TEST(Pad, CopiesWhatIsAround) {
  EXPECT_EQ(floats(constant_pad_nd(range({2}), {1, 2}, 9)), (std::vector<float>{9, 0, 1, 9, 9}));
  EXPECT_EQ(floats(reflection_pad1d(range({1, 3}), {2, 1})),
            (std::vector<float>{2, 1, 0, 1, 2, 1}));
  EXPECT_EQ(floats(replication_pad1d(range({1, 3}), {2, 1})),
            (std::vector<float>{0, 0, 0, 1, 2, 2}));
}

TEST(Pad, NamesWidthsThatDoNotFit) {
  EXPECT_ERROR_CONTAINS(reflection_pad1d(range({1, 3}), {3, 0}), "ValueError",
                        "reflection_pad1d: padding [3, 0] must be smaller than the padded "
                        "dimensions of self, whose sizes are [1, 3]");
  EXPECT_ERROR_CONTAINS(constant_pad_nd(range({3}), {1}), "RuntimeError",
                        "constant_pad_nd: pad [1] must hold a pair for each padded dimension of "
                        "self, whose sizes are [3]");
  EXPECT_ERROR_CONTAINS(constant_pad_nd(range({3}), {-2, -2}), "ValueError",
                        "constant_pad_nd: pad [-2, -2] takes more than there is of self");
  EXPECT_ERROR_CONTAINS(replication_pad2d(range({3}), {1, 1, 1, 1}), "RuntimeError",
                        "replication_pad2d: self must have 3 or 4 dimensions, got sizes [3]");
}

TEST(SelectScatter, ReplacesAPartOfACopy) {
  const Tensor x = range({2, 2});

  EXPECT_EQ(floats(x.select_scatter(range({2}), 0, 1)), (std::vector<float>{0, 1, 0, 1}));
  EXPECT_EQ(floats(x), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_ERROR_CONTAINS(x.select_scatter(range({3}), 0, 1), "ValueError",
                        "select_scatter: src of sizes [3] must have the sizes [2] of the part that "
                        "it replaces");
}

}  // namespace
}  // namespace opwright
