#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/wrapper.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::floats;
using testing::range;
using testing::sizes;

TEST(Split, GivesViewsOfConsecutiveParts) {
  const Tensor x = range({2, 5});

  const std::vector<Tensor> parts = x.split(SymInt(2), 1);

  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(floats(parts[1]), (std::vector<float>{2, 3, 7, 8}));
  EXPECT_EQ(sizes(parts[2]), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(&storage_of(parts[2]), &storage_of(x));
}

TEST(Split, NamesSizesThatDoNotAddUp) {
  EXPECT_ERROR_CONTAINS(range({2, 5}).split_with_sizes({2, 2}, 1), "ValueError",
                        "split_with_sizes: split_sizes [2, 2] must add up to the size 5 of "
                        "dimension 1 of self, whose sizes are [2, 5]");
  EXPECT_ERROR_CONTAINS(range({2, 5}).split_with_sizes({-1, 6}, 1), "ValueError",
                        "split_with_sizes: split_sizes must not be negative, got [-1, 6]");
  EXPECT_ERROR_CONTAINS(range({5}).split(SymInt(0)), "RuntimeError",
                        "split: split_size must be positive, got 0 for dimension 0 of size 5");
  EXPECT_ERROR_CONTAINS(range({}).chunk(2), "RuntimeError", "chunk: self has zero dimensions");
  EXPECT_ERROR_CONTAINS(range({3}).chunk(0), "RuntimeError",
                        "chunk: chunks must be at least 1, got 0");
}

TEST(Split, KeepsSymbolsInSizes) {
  testing::TestOwner owner;
  const SymInt s = owner.backed("s0", 5);
  const Tensor x = make_fake(SymSizes{s, 4}, DType::Float32, kCpu);

  const std::vector<Tensor> parts = x.split_with_sizes({1, 3}, 1);

  EXPECT_EQ(parts[1].sym_size(0).word(), s.word());
  EXPECT_EQ(parts[1].sym_size(1).word(), 3);
}

TEST(Narrow, StaysInsideTheDimension) {
  EXPECT_EQ(floats(range({5}).narrow(0, -2, 2)), (std::vector<float>{3, 4}));
  EXPECT_ERROR_CONTAINS(range({5}).narrow(0, 3, 3), "ValueError",
                        "narrow: start 3 and length 3 leave dimension 0 of size 5");
}

TEST(Diagonal, RunsAlongTwoDimensions) {
  EXPECT_EQ(floats(range({2, 3}).diagonal()), (std::vector<float>{0, 4}));
  EXPECT_EQ(floats(range({2, 3}).diagonal(1)), (std::vector<float>{1, 5}));
  EXPECT_EQ(floats(range({2, 3}).diagonal(-1)), (std::vector<float>{3}));
  EXPECT_EQ(sizes(range({2, 3}).diagonal(7)), (std::vector<int64_t>{0}));
  EXPECT_ERROR_CONTAINS(range({2, 3}).diagonal(0, 1, -1), "RuntimeError",
                        "diagonal: dim1 and dim2 must be two dimensions, both are 1");
}

TEST(Flatten, JoinsDimensions) {
  EXPECT_EQ(sizes(range({2, 3, 4}).flatten(1)), (std::vector<int64_t>{2, 12}));
  EXPECT_EQ(sizes(range({}).flatten()), (std::vector<int64_t>{1}));
  EXPECT_ERROR_CONTAINS(range({2, 3}).flatten(1, 0), "RuntimeError",
                        "flatten: start_dim 1 comes after end_dim 0 in self with sizes [2, 3]");
}

TEST(Movedim, NamesADimensionThatIsNamedTwice) {
  const Tensor x = range({2, 3, 4});

  EXPECT_EQ(sizes(x.movedim(0, -1)), (std::vector<int64_t>{3, 4, 2}));
  EXPECT_ERROR_CONTAINS(x.movedim(IntList{0, 0}, IntList{1, 2}), "ValueError",
                        "movedim: dim [0, 0] names dimension 0 twice");
}

TEST(Unfold, GivesWindows) {
  EXPECT_EQ(floats(range({4}).unfold(0, 2, 1)), (std::vector<float>{0, 1, 1, 2, 2, 3}));
  EXPECT_ERROR_CONTAINS(range({4}).unfold(0, 5, 1), "ValueError",
                        "unfold: size 5 must be between 0 and the size 4 of dimension 0");
}

}  // namespace
}  // namespace opwright
