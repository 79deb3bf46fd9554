// Covers: src/ops/view/*.
#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

using testing::floats;
using testing::range;

TEST(View, SharesStorageAndVersion) {
  const Tensor x = range({2, 3});
  const Tensor views[] = {x.view({3, 2}),
                          x.transpose(0, 1),
                          x.t(),
                          x.expand({2, 2, 3}),
                          x.select(0, 1),
                          x.slice(1, 1),
                          x.permute({1, 0}),
                          x.unsqueeze(0),
                          x.squeeze(),
                          x.squeeze(0),
                          x.as_strided({2}, {1}, 4),
                          x.detach(),
                          alias(x),
                          x.reshape({-1})};

  for (const Tensor& view : views) {
    EXPECT_EQ(&storage_of(view), &storage_of(x));
    EXPECT_NE(view.get(), x.get());
  }
  x.select(0, 0).zero_();
  EXPECT_EQ(version_of(views[0]), version_of(x));
}

TEST(View, HasTheSizesThatAreAskedFor) {
  EXPECT_EQ(testing::sizes(range({2, 3}).view({3, -1})), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(testing::sizes(range({1}).view({})), (std::vector<int64_t>{}));
  EXPECT_EQ(testing::sizes(range({0, 3}).view({3, 0})), (std::vector<int64_t>{3, 0}));
}

TEST(View, RefusesWhatNeedsACopy) {
  EXPECT_ERROR_CONTAINS(
      range({2, 3}).t().view({6}), "ValueError",
      "view: sizes [3, 2] with strides [1, 3] cannot be seen as [6] without a copy; use reshape");
  EXPECT_ERROR_CONTAINS(range({2, 3}).view({4}), "ValueError", "view: ");
}

TEST(Reshape, CopiesWhereItMust) {
  const Tensor x = range({2, 3}).t();

  const Tensor flat = x.reshape({6});

  EXPECT_EQ(floats(flat), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_NE(&storage_of(flat), &storage_of(x));
}

TEST(Views, ShowTheRightElements) {
  const Tensor x = range({2, 3});

  EXPECT_EQ(floats(x.transpose(0, -1)), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(floats(x.select(1, -1)), (std::vector<float>{2, 5}));
  EXPECT_EQ(floats(x.slice(1, 0, std::nullopt, 2)), (std::vector<float>{0, 2, 3, 5}));
  EXPECT_EQ(floats(x.slice(1, -2, 100)), (std::vector<float>{1, 2, 4, 5}));
  EXPECT_EQ(floats(range({2, 1}).expand({-1, 2})), (std::vector<float>{0, 0, 1, 1}));
  EXPECT_EQ(floats(x.as_strided({2, 2}, {1, 2}, 1)), (std::vector<float>{1, 3, 2, 4}));
  EXPECT_EQ(testing::sizes(range({1, 2, 1}).squeeze()), (std::vector<int64_t>{2}));
  EXPECT_EQ(testing::sizes(x.unsqueeze(-1)), (std::vector<int64_t>{2, 3, 1}));
}

TEST(Views, NameTheDimensionThatIsOutOfRange) {
  const Tensor x = range({2, 3});

  EXPECT_ERROR_CONTAINS(x.transpose(0, 2), "IndexError",
                        "transpose: dimension 2 is out of range for a tensor of 2 dimensions");
  EXPECT_ERROR_CONTAINS(x.select(0, 2), "IndexError",
                        "select: index 2 is out of range for dimension 0 of size 2");
  EXPECT_ERROR_CONTAINS(x.slice(3), "IndexError", "slice: dimension 3 is out of range");
  EXPECT_ERROR_CONTAINS(x.slice(0, 0, 1, 0), "ValueError",
                        "slice: the step must be at least 1, got 0");
  EXPECT_ERROR_CONTAINS(x.permute({0, 0}), "ValueError",
                        "permute: the order [0, 0] names dimension 0 twice");
  EXPECT_ERROR_CONTAINS(x.expand({2, 4}), "ValueError",
                        "expand: sizes [2, 3] do not expand to [2, 4]");
  EXPECT_ERROR_CONTAINS(range({2, 3, 4}).t(), "RuntimeError",
                        "t: self must have at most 2 dimensions");
  EXPECT_ERROR_CONTAINS(scalar_tensor(1).select(0, 0), "IndexError", "select: ");
}

TEST(AsStrided, StaysInsideTheStorage) {
  EXPECT_ERROR_CONTAINS(range({4}).as_strided({5}, {1}), "ValueError", "");
}

}  // namespace
}  // namespace opwright
