#include <limits>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

using testing::elements;
using testing::floats;
using testing::kNumberDTypes;
using testing::range;
using testing::tensor_of;

TEST(Add, AddsElements) {
  const Tensor a = tensor_of<float>({3}, {1, 2, 3});
  const Tensor b = tensor_of<float>({3}, {10, 20, 30});

  EXPECT_EQ(floats(add(a, b)), (std::vector<float>{11, 22, 33}));
  EXPECT_EQ(floats(add(a, b, 2)), (std::vector<float>{21, 42, 63}));
  EXPECT_EQ(floats(add(a, 0.5, 4)), (std::vector<float>{3, 4, 5}));
}

TEST(Arithmetic, WorksInEveryDType) {
  for (const DType dtype : kNumberDTypes) {
    const Tensor x = full({2, 2}, 6, dtype);
    const Tensor y = full({2, 2}, 2, dtype);
    SCOPED_TRACE(dtype_name_or_null(dtype));

    const auto is_everywhere = [](const Tensor& tensor, int value) {
      return elements<bool>(eq(tensor, value)) == std::vector<bool>(4, true);
    };
    EXPECT_EQ(add(x, y).dtype(), dtype);
    EXPECT_TRUE(is_everywhere(add(x, y), 8));
    EXPECT_TRUE(is_everywhere(sub(x, y), 4));
    EXPECT_TRUE(is_everywhere(mul(x, y), 12));
    EXPECT_TRUE(is_everywhere(div(x, y), 3));
    EXPECT_TRUE(is_everywhere(rsub(y, 6), 4));
    EXPECT_TRUE(is_everywhere(x.clone().add_(y).mul_(y).sub_(y), 14));
  }
}

TEST(Arithmetic, HasOperatorsForTensorsAndNumbers) {
  const Tensor x = tensor_of<float>({2}, {2, 4});

  EXPECT_EQ(floats(x + x), (std::vector<float>{4, 8}));
  EXPECT_EQ(floats(1 + x), (std::vector<float>{3, 5}));
  EXPECT_EQ(floats(x - 1), (std::vector<float>{1, 3}));
  EXPECT_EQ(floats(1.0 - x), (std::vector<float>{-1, -3}));
  EXPECT_EQ(floats(0.5 * x), (std::vector<float>{1, 2}));
  EXPECT_EQ(floats(x / 2), (std::vector<float>{1, 2}));
  EXPECT_EQ(floats(8 / x), (std::vector<float>{4, 2}));
  EXPECT_EQ(floats(-x), (std::vector<float>{-2, -4}));
}

TEST(Add, Broadcasts) {
  const Tensor column = tensor_of<float>({2, 1}, {10, 20});
  const Tensor row = tensor_of<float>({3}, {1, 2, 3});

  const Tensor sum = add(column, row);

  EXPECT_EQ(testing::sizes(sum), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(floats(sum), (std::vector<float>{11, 12, 13, 21, 22, 23}));
}

TEST(Add, RefusesSizesThatDoNotBroadcast) {
  EXPECT_ERROR_CONTAINS(add(range({2, 3}), range({4})), "ValueError",
                        "add: sizes [2, 3] and [4] do not broadcast: dimension 1 is 3 and 4");
}

TEST(Add, ReadsAnyStridesAndKeepsTheirOrder) {
  const Tensor x = range({2, 3}).t();

  const Tensor sum = add(x, x);

  EXPECT_EQ(floats(sum), (std::vector<float>{0, 6, 2, 8, 4, 10}));
  EXPECT_EQ(testing::strides(sum), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(floats(add(x, range({3, 2}))), (std::vector<float>{0, 4, 3, 7, 6, 10}));
}

TEST(Add, TakesEmptyAndZeroDimTensors) {
  EXPECT_EQ(testing::sizes(add(range({0, 3}), range({3}))), (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(floats(add(scalar_tensor(2), scalar_tensor(3))), (std::vector<float>{5}));
  EXPECT_EQ(floats(add(range({3}), scalar_tensor(1))), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(floats(sub(scalar_tensor(1), range({3}))), (std::vector<float>{1, 0, -1}));
}

TEST(Add, IsRightOnManyElements) {
  const int64_t count = 200'003;  // several chunks of the thread pool
  const Tensor x = range({count});

  const std::vector<float> doubled = floats(add(x, x));

  EXPECT_EQ(doubled[0], 0);
  EXPECT_EQ(doubled[100'000], 200'000);
  EXPECT_EQ(doubled[static_cast<size_t>(count) - 1], 400'004);
}

TEST(Add, WrapsIntsAround) {
  const Tensor x = tensor_of<int8_t>({2}, {127, -128});

  EXPECT_EQ(elements<int8_t>(add(x, 1)), (std::vector<int8_t>{-128, -127}));
  EXPECT_EQ(elements<int8_t>(mul(x, x)), (std::vector<int8_t>{1, 0}));
}

TEST(Add, OfBoolsIsOrAndTheirProductIsAnd) {
  const Tensor a = eq(tensor_of<float>({4}, {0, 0, 1, 1}), 1);
  const Tensor b = eq(tensor_of<float>({4}, {0, 1, 0, 1}), 1);

  EXPECT_EQ(elements<bool>(add(a, b)), (std::vector<bool>{false, true, true, true}));
  EXPECT_EQ(elements<bool>(mul(a, b)), (std::vector<bool>{false, false, false, true}));
}

TEST(Add, ComputesHalvesAsFloats) {
  const Tensor x = full({1}, 1, DType::BFloat16);

  // 1 + 256 * 2^-8 is 2, even with a number rounded to bfloat16 in between, but 1 + 2^-9 is lost if
  // each step is rounded.
  const Tensor sum = add(x, 0.001953125, 256);

  EXPECT_EQ(static_cast<float>(elements<BFloat16>(sum)[0]), 1.5F);
}

TEST(Sub, RefusesBools) {
  const Tensor x = full({2}, true);

  EXPECT_ERROR_CONTAINS(sub(x, x), "RuntimeError",
                        "sub: bool tensors cannot be subtracted; use logical_xor or logical_not");
}

TEST(Add, ChecksAlpha) {
  EXPECT_ERROR_CONTAINS(add(full({2}, 1), full({2}, 1), 0.5), "TypeError",
                        "add: alpha must be an int for tensors of int64, got 0.5");
  EXPECT_ERROR_CONTAINS(add(range({2}), range({2}), true), "TypeError",
                        "add: alpha may be a bool for bool tensors only");
  EXPECT_ERROR_CONTAINS(add(range({2}), range({2}), Complex<double>(0, 1)), "TypeError",
                        "add: alpha must be real for tensors of float32");
}

TEST(Div, OfIntsIsAFloat) {
  const Tensor quotient = div(tensor_of<int64_t>({2}, {1, 7}), tensor_of<int64_t>({2}, {2, 2}));

  EXPECT_EQ(quotient.dtype(), DType::Float32);
  EXPECT_EQ(floats(quotient), (std::vector<float>{0.5, 3.5}));
}

TEST(Div, ByZeroIsInfinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(floats(div(tensor_of<float>({2}, {1, -1}), 0)),
            (std::vector<float>{kInfinity, -kInfinity}));
  const Tensor complex = full({1}, Complex<double>(1, -1));
  EXPECT_EQ(elements<Complex<float>>(div(complex, 0))[0], Complex<float>(kInfinity, -kInfinity));
}

TEST(InPlace, GivesItsOwnArgumentAndRaisesTheVersion) {
  Tensor x = range({2});
  const uint64_t version = version_of(x);

  Tensor& result = x.add_(1);

  EXPECT_EQ(&result, &x);
  EXPECT_EQ(floats(x), (std::vector<float>{1, 2}));
  EXPECT_EQ(version_of(x), version + 1);
}

TEST(InPlace, TakesANumber) {
  Tensor x = range({3});

  x.add_(1);
  x.sub_(2, 2);
  x.mul_(3);
  x.div_(2);

  EXPECT_EQ(floats(x), (std::vector<float>{-4.5, -3, -1.5}));
  EXPECT_ERROR_CONTAINS(full({2}, 1).div_(2), "TypeError",
                        "div_: a result of float32 cannot be stored in self of int64");
}

TEST(InPlace, WritesThroughAView) {
  const Tensor x = range({2, 3});

  x.select(1, 1).mul_(10);

  EXPECT_EQ(floats(x), (std::vector<float>{0, 10, 2, 3, 40, 5}));
}

TEST(InPlace, ConvertsAResultOfTheSameKind) {
  Tensor x = tensor_of<int8_t>({2}, {1, 2});

  x.add_(tensor_of<int64_t>({2}, {300, 1}));

  EXPECT_EQ(elements<int8_t>(x), (std::vector<int8_t>{45, 3}));
}

TEST(InPlace, MayReadWhatItWrites) {
  Tensor x = range({3});

  x.mul_(x);

  EXPECT_EQ(floats(x), (std::vector<float>{0, 1, 4}));
}

TEST(InPlace, RefusesAResultOfAHigherKind) {
  Tensor x = tensor_of<int64_t>({2}, {1, 2});

  EXPECT_ERROR_CONTAINS(x.add_(0.5), "TypeError",
                        "add_: a result of float32 cannot be stored in self of int64");
  EXPECT_ERROR_CONTAINS(x.div_(x), "TypeError",
                        "div_: a result of float32 cannot be stored in self of int64");
}

TEST(InPlace, RefusesAnExpandedTensor) {
  Tensor x = range({3, 1}).expand({3, 2});

  EXPECT_ERROR_CONTAINS(
      x.add_(1), "RuntimeError",
      "add_: several elements of self (float32[3, 2] with strides [1, 0]) are the same memory, as "
      "after expand; clone it before it is written");
}

TEST(InPlace, RefusesSizesThatWouldGrow) {
  Tensor x = range({3});

  EXPECT_ERROR_CONTAINS(x.add_(range({2, 3})), "ValueError",
                        "add_: other of sizes [2, 3] does not broadcast to the sizes [3] of self");
}

TEST(InPlace, RefusesAnArgumentThatOverlapsInPart) {
  const Tensor x = range({4});
  Tensor head = x.slice(0, 0, 3);

  EXPECT_ERROR_CONTAINS(head.add_(x.slice(0, 1, 4)), "RuntimeError",
                        "'self' is written and shares part of its memory with 'other'");
}

TEST(Eq, ComparesInTheCommonDType) {
  const Tensor ints = tensor_of<int64_t>({3}, {1, 2, 3});

  EXPECT_EQ(elements<bool>(eq(ints, tensor_of<float>({3}, {1, 2.5, 3}))),
            (std::vector<bool>{true, false, true}));
  EXPECT_EQ(elements<bool>(eq(full({1}, 0.1, DType::Float16), 0.1)), (std::vector<bool>{true}));
}

}  // namespace
}  // namespace opwright
