#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/fake_tensor.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

using testing::floats;
using testing::range;

TEST(Resize, KeepsTheMemoryThatSuffices) {
  Tensor x = range({6});
  Tensor view = x.slice(0, 1, 3);

  x.resize_({2, 2});

  EXPECT_EQ(floats(x), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(testing::strides(x), (std::vector<int64_t>{2, 1}));
  view.fill_(7);
  EXPECT_EQ(floats(x), (std::vector<float>{0, 7, 7, 3}));
}

TEST(Resize, RaisesTheVersionWhereTheSizesChange) {
  Tensor x = range({1});
  const auto version = [&] { return impl(x).storage->current_version(); };
  const uint64_t before = version();

  x.resize_({100, 2});
  EXPECT_EQ(version(), before + 1);
  x.resize_as_(range({3}));
  EXPECT_EQ(version(), before + 2);
  x.resize_({3});
  x.resize_as_(range({3}));
  EXPECT_EQ(version(), before + 2);
}

TEST(Resize, GivesNewMemoryWithTheOldElementsWhereItDoesNot) {
  Tensor x = range({3});
  const Tensor view = x.slice(0, 0, 2);

  x.resize_({400, 400});

  EXPECT_EQ(floats(x.reshape({160000}).slice(0, 0, 3)), (std::vector<float>{0, 1, 2}));
  x.fill_(5);
  EXPECT_EQ(floats(view), (std::vector<float>{0, 1}));
}

TEST(Resize, OfAViewStartsAtItsOffset) {
  Tensor x = range({6}).slice(0, 2, 4);

  x.resize_({4});

  EXPECT_EQ(floats(x), (std::vector<float>{2, 3, 4, 5}));
}

TEST(Resize, TakesAMemoryFormat) {
  Tensor x = range({24});

  x.resize_({1, 2, 3, 4}, MemoryFormat::ChannelsLast);

  EXPECT_EQ(testing::strides(x), (std::vector<int64_t>{24, 1, 8, 2}));
  EXPECT_ERROR_CONTAINS(x.resize_({2}, MemoryFormat::Preserve), "ValueError",
                        "resize_: memory_format cannot be preserve_format");
}

TEST(Resize, OfAFakeTensorTakesAnySizes) {
  FakeTensor x = empty<FakeTensor>({2, 3}, DType::Float64, {}, Device(kOpwDeviceMeta));

  x.resize_({7, 5});

  EXPECT_TRUE(x.size(0) == 7);
  EXPECT_TRUE(x.stride(0) == 5);
}

TEST(Resize, RefusesNegativeSizes) {
  Tensor x = range({6});

  EXPECT_ERROR_CONTAINS(x.resize_({2, -1}), "ValueError",
                        "resize_: a size must not be negative, got [2, -1]");
  EXPECT_EQ(floats(x).size(), 6u);
}

}  // namespace
}  // namespace opwright
