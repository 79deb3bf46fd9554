#include <limits>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/fake_tensor.h"
#include "tensor/test_device.h"

namespace opwright {
namespace {

using testing::range;
using testing::tensor_of;
using testing::TestDevice;

TEST(Item, GivesTheNumberAsWhatItIs) {
  EXPECT_EQ(full({}, 1.5).item().text(), "1.5");
  EXPECT_EQ(full({1, 1}, 3, DType::Int8).item().text(), "3");
  EXPECT_EQ(full({}, true).item().text(), "true");
  EXPECT_EQ(full({}, Complex<double>(1, 2)).item().text(), "1+2j");
  EXPECT_EQ(full({}, 0.5, DType::BFloat16).item().text(), "0.5");
  EXPECT_EQ(range({4}).select(0, 2).item().text(), "2");
}

TEST(Item, TakesEveryDType) {
  for (const DType dtype : testing::kNumberDTypes) {
    EXPECT_EQ(full({}, 7, dtype).item().to<double>(), 7);
  }
}

TEST(Item, RefusesATensorOfSeveralElements) {
  EXPECT_ERROR_CONTAINS(range({2, 3}).item(), "RuntimeError",
                        "item: only a tensor with one element is a number, got float32[2, 3] with "
                        "6 elements");
  EXPECT_ERROR_CONTAINS(range({0}).item(), "RuntimeError", "got float32[0] with 0 elements");
}

TEST(Item, RefusesAnUnsignedNumberThatNoIntHolds) {
  const Tensor x = tensor_of<uint64_t>({1}, {std::numeric_limits<uint64_t>::max()});

  EXPECT_ERROR_CONTAINS(x.item(), "OverflowError",
                        "item: the uint64 value 18446744073709551615 does not fit in an int of 64 "
                        "bits");
}

TEST(Item, RefusesATensorWithoutData) {
  const FakeTensor x = empty<FakeTensor>({}, {}, {}, Device(kOpwDeviceMeta));

  EXPECT_ERROR_CONTAINS(x.item(), "DataDependentError",
                        "item: float32[] on meta has no data, so there is no number to read");
}

TEST(Item, ReadsFromADevice) {
  EXPECT_EQ(full({1}, 2.5, {}, {}, TestDevice::device()).item().text(), "2.5");
}

}  // namespace
}  // namespace opwright
