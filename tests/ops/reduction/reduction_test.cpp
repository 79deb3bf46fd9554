// Covers: src/ops/reduction/*, src/ops/engine/reduction/*.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/fake_tensor.h"
#include "opwright/tensor/factory.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::elements;
using testing::floats;
using testing::range;
using testing::tensor_of;
using testing::TestOwner;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Mean, OfHalvesDoesNotOverflow) {
  const Tensor x = full({1000}, 1000, DType::Float16);

  EXPECT_EQ(static_cast<float>(elements<Half>(x.mean())[0]), 1000.0F);
}

TEST(Mean, RefusesInts) {
  EXPECT_ERROR_CONTAINS(tensor_of<int64_t>({2}, {1, 2}).mean(), "TypeError",
                        "mean: the result must be of a floating or complex dtype, got int64 as "
                        "the dtype of self; give a dtype");
}

TEST(Variance, OfNothingIsNoNumberWhateverTheCorrection) {
  EXPECT_TRUE(std::isnan(floats(opwright::var(range({0}), std::nullopt, Scalar(-5)))[0]));
  EXPECT_TRUE(std::isnan(floats(opwright::std(range({0}), std::nullopt, Scalar(-5)))[0]));
}

TEST(Logsumexp, OfComplexNumbersDoesNotOverflow) {
  using Number = Complex<float>;
  const Tensor x = tensor_of<Number>({2}, {{1000, 0}, {1000, 0}});

  EXPECT_NEAR(elements<Number>(x.logsumexp({0}))[0].real, 1000.693, 1e-3);
  EXPECT_NEAR(elements<Number>(x.logcumsumexp(0))[1].real, 1000.693, 1e-3);
}

// The sums of the rows of `x`, of ints: exact in any order.
std::vector<float> sums_of_rows(const Tensor& x) {
  std::vector<float> sums;
  for (int64_t i = 0; i < x.size(0); ++i) {
    float sum = 0;
    for (const float each : floats(x.select(0, i).contiguous())) sum += each;
    sums.push_back(sum);
  }
  return sums;
}

TEST(Sum, OfRowsOfAnyLengthHasAllTerms) {
  for (const int64_t length : {1, 2, 7, 8, 9, 31, 127, 128, 130, 600}) {
    const Tensor x = range({100, length}).remainder(Scalar(97));
    const Tensor apart = range({100, length + 3}).remainder(Scalar(97)).narrow(1, 2, length);

    EXPECT_EQ(floats(x.sum({1})), sums_of_rows(x)) << length;
    EXPECT_EQ(floats(apart.sum({1})), sums_of_rows(apart)) << length;
  }
}

TEST(Sum, OfRowsInSeveralDimensionsHasAllTerms) {
  const Tensor blocks = range({6, 11, 9}).remainder(Scalar(97)).narrow(1, 1, 10);

  const Tensor sums = blocks.sum({2});

  EXPECT_EQ(floats(sums.reshape({-1})), sums_of_rows(blocks.reshape({60, 9})));
}

TEST(Argmax, OfShortRowsCountsInItsRow) {
  const Tensor x = range({70, 9});

  EXPECT_EQ(elements<int64_t>(x.argmax(1)), std::vector<int64_t>(70, 8));
  EXPECT_EQ(elements<int64_t>(x.neg().argmax(1)), std::vector<int64_t>(70, 0));
}

TEST(VectorNorm, RefusesADtypeThatLosesNumbers) {
  EXPECT_ERROR_CONTAINS(linalg_vector_norm(range({2}), 2, {}, false, DType::Complex64), "TypeError",
                        "linalg_vector_norm: self of float32 loses numbers in complex64");
  EXPECT_ERROR_CONTAINS(linalg_vector_norm(range({2}), 2, {}, false, DType::Float16), "TypeError",
                        "linalg_vector_norm: self of float32 loses numbers in float16");
}

TEST(Prod, OfNothingIsOne) {
  EXPECT_EQ(floats(range({0, 2}).prod()), (std::vector<float>{1}));
  EXPECT_EQ(floats(range({0, 2}).prod(0)), (std::vector<float>{1, 1}));
}

TEST(Amax, GivesNotANumberWhereOneIs) {
  const Tensor x = tensor_of<float>({2, 3}, {1, kNan, 2, 5, 4, 3});

  const std::vector<float> largest = floats(x.amax({1}));

  EXPECT_NE(largest[0], largest[0]);
  EXPECT_EQ(largest[1], 5);
}

TEST(Amax, RefusesADimensionWithoutElements) {
  EXPECT_ERROR_CONTAINS(range({2, 0}).amax({1}), "IndexError",
                        "amax: dimension 1 of self with sizes [2, 0] has no elements, so its "
                        "result is undefined; choose a dim with elements");
  EXPECT_EQ(testing::sizes(range({2, 0}).amax({0})), (std::vector<int64_t>{0}));
}

TEST(Amax, RefusesComplexNumbers) {
  EXPECT_ERROR_CONTAINS(full({2}, Complex<double>(1, 2)).amax(), "TypeError",
                        "amax: dtype complex64 is not supported; it takes dtypes with an order");
}

TEST(MaxAlongADimension, GivesTheFirstOfEqualElements) {
  const auto [values, indices] = max(tensor_of<float>({2, 4}, {1, 3, 3, 0, 2, 2, 2, 2}), 1);

  EXPECT_EQ(floats(values), (std::vector<float>{3, 2}));
  EXPECT_EQ(elements<int64_t>(indices), (std::vector<int64_t>{1, 0}));
}

TEST(Argmax, OfAllDimensionsCountsInTheOrderOfElements) {
  const Tensor x = tensor_of<float>({2, 3}, {0, 1, 2, 9, 4, 5});

  EXPECT_EQ(elements<int64_t>(x.t().argmax()), (std::vector<int64_t>{1}));
  EXPECT_EQ(testing::sizes(x.argmax(std::nullopt, true)), (std::vector<int64_t>{1, 1}));
}

TEST(Any, OfUInt8IsUInt8) {
  EXPECT_EQ(tensor_of<uint8_t>({2}, {0, 2}).any().dtype(), DType::UInt8);
  EXPECT_EQ(range({3}).any().dtype(), DType::Bool);
}

TEST(Any, OfNoDimensionsIsEveryElement) {
  EXPECT_EQ(testing::sizes(range({2, 3}).any(OptionalIntList(IntList{}))),
            (std::vector<int64_t>{2, 3}));
}

TEST(Var, KeepsSmallDeviationsOfLargeNumbers) {
  const Tensor x = tensor_of<float>({4}, {1e6F + 1, 1e6F + 2, 1e6F + 3, 1e6F + 4});

  EXPECT_FLOAT_EQ(floats(x.var({0}, false))[0], 1.25F);
}

TEST(Var, RefusesInts) {
  EXPECT_ERROR_CONTAINS(var(tensor_of<int64_t>({2}, {1, 2}), {0}, true), "TypeError",
                        "var: dtype int64 is not supported; it takes floating and complex dtypes");
}

TEST(FakeReductions, KeepSymbolicSizes) {
  TestOwner owner;
  const std::vector<SymInt> sizes{owner.backed("s0", 5), 3, owner.backed("s1", 7)};
  const Tensor fake = make_fake(sizes, DType::Float16, kCpu);

  EXPECT_EQ(concatenate(fake.sum({1})), "float16[s0, s1]");
  EXPECT_EQ(concatenate(fake.mean({0, 1}, true)), "float16[1, 1, s1]");
  EXPECT_EQ(concatenate(fake.amax({-1})), "float16[s0, 3]");
  EXPECT_EQ(concatenate(std::get<1>(max(fake, 2))), "int64[s0, 3]");
  EXPECT_EQ(concatenate(fake.argmax()), "int64[]");
  EXPECT_EQ(concatenate(fake.any(1)), "bool[s0, s1]");
  EXPECT_EQ(concatenate(var(fake, {0}, true)), "float16[3, s1]");
  EXPECT_TRUE(owner.specialisations.empty());
}

TEST(FakeReductions, RefuseWhatKernelsRefuse) {
  const Tensor fake = make_fake(std::vector<SymInt>{2, 0}, DType::Float32, kCpu);

  EXPECT_ERROR_CONTAINS(fake.amax({1}), "IndexError", "amax: dimension 1 of self");
  EXPECT_ERROR_CONTAINS(fake.sum({2}), "IndexError", "sum: dimension 2 is out of range");
}

}  // namespace
}  // namespace opwright
