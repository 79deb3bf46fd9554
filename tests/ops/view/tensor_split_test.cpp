#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::floats;
using testing::range;
using testing::sizes;

TEST(TensorSplit, GivesTheFirstSectionsOneElementMore) {
  const std::vector<Tensor> parts = range({7}).tensor_split(SymInt(3));

  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(floats(parts[0]), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(floats(parts[2]), (std::vector<float>{5, 6}));
}

TEST(TensorSplit, CutsAtIndicesThatMayBeBeyondTheEnd) {
  const std::vector<Tensor> parts = range({3}).tensor_split(SymSizes{1, 9});

  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(floats(parts[1]), (std::vector<float>{1, 2}));
  EXPECT_EQ(parts[2].numel(), 0);
}

TEST(TensorSplit, NamesWhatCannotBeSplit) {
  EXPECT_ERROR_CONTAINS(range({}).tensor_split(SymInt(2)), "RuntimeError",
                        "tensor_split expected at least a 1-dimensional tensor, but got a tensor "
                        "with 0 dims");
  EXPECT_ERROR_CONTAINS(range({3}).tensor_split(SymInt(0)), "RuntimeError",
                        "tensor_split: the number of sections must be larger than 0, got 0");
  EXPECT_ERROR_CONTAINS(range({4}).hsplit(3), "RuntimeError",
                        "hsplit: attempted to split along dimension 0, but the size of the "
                        "dimension 4 is not divisible by the split_size 3");
  EXPECT_ERROR_CONTAINS(range({4}).vsplit(2), "RuntimeError",
                        "vsplit: requires a tensor with at least 2 dimensions, but got a tensor "
                        "with 1 dimensions");
}

TEST(TensorSplit, KeepsSymbolsInOtherSizes) {
  testing::TestOwner owner;
  const SymInt s = owner.backed("s0", 5);
  const Tensor x = make_fake(SymSizes{s, 4}, DType::Float32, kCpu);

  const std::vector<Tensor> parts = x.tensor_split(SymInt(2), 1);

  EXPECT_EQ(parts[1].sym_size(0).word(), s.word());
  EXPECT_EQ(parts[1].sym_size(1).word(), 2);
}

}  // namespace
}  // namespace opwright
