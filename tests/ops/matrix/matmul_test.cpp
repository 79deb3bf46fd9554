// Covers: src/ops/matrix/*, src/ops/engine/product/*.
#include <limits>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/tensor/factory.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::elements;
using testing::floats;
using testing::kNumberDTypes;
using testing::range;
using testing::tensor_of;
using testing::TestOwner;

TEST(Mm, MultipliesMatrices) {
  EXPECT_EQ(floats(mm(range({2, 3}), range({3, 2}))), (std::vector<float>{10, 13, 28, 40}));
  EXPECT_EQ(floats(mm(range({3, 2}).t(), range({2, 3}).t())), (std::vector<float>{10, 28, 13, 40}));
}

TEST(Mm, WorksInEveryDType) {
  for (const DType dtype : kNumberDTypes) {
    SCOPED_TRACE(dtype_name_or_null(dtype));
    const Tensor product = mm(full({2, 3}, 2, dtype), full({3, 1}, 3, dtype));

    EXPECT_EQ(product.dtype(), dtype);
    EXPECT_EQ(elements<bool>(eq(product, 18)), (std::vector<bool>{true, true}));
  }
}

TEST(Mm, IsRightAcrossTiles) {
  const Tensor x = ones({9, 700});
  const Tensor y = ones({700, 300});

  EXPECT_EQ(elements<bool>(eq(mm(x, y), 700)), std::vector<bool>(9 * 300, true));
}

TEST(Mm, OverNothingIsZero) {
  EXPECT_EQ(floats(mm(range({2, 0}), range({0, 2}))), (std::vector<float>{0, 0, 0, 0}));
}

TEST(Mm, NamesTheSizesThatDoNotFit) {
  EXPECT_ERROR_CONTAINS(mm(range({2, 3}), range({4, 5})), "RuntimeError",
                        "mm: sizes [2, 3] and [4, 5] cannot be multiplied: 3 against 4");
  EXPECT_ERROR_CONTAINS(mm(range({2}), range({2, 5})), "RuntimeError",
                        "mm: self must have 2 dimensions, got sizes [2]");
  EXPECT_ERROR_CONTAINS(mm(range({2, 2}), full({2, 2}, 1)), "TypeError",
                        "mm: both operands must have one dtype, got float32 and int64");
}

TEST(Bmm, MultipliesABatch) {
  const Tensor x = range({2, 1, 2});

  EXPECT_EQ(floats(bmm(x, range({2, 2, 1}))), (std::vector<float>{1, 13}));
  EXPECT_ERROR_CONTAINS(bmm(x, range({3, 2, 1})), "RuntimeError",
                        "bmm: self has 2 matrices and mat2 3");
}

TEST(Mm, FakeKeepsSymbolicSizes) {
  TestOwner owner;
  const SymInt rows = owner.backed("s0", 5);
  const Tensor left = make_fake(std::vector<SymInt>{rows, 4}, DType::Float32, kCpu);
  const Tensor right = make_fake(std::vector<SymInt>{4, 6}, DType::Float32, kCpu);

  EXPECT_EQ(concatenate(mm(left, right)), "float32[s0, 6]");
  EXPECT_EQ(concatenate(linear(left, right.t())), "float32[s0, 6]");
  EXPECT_TRUE(owner.specialisations.empty());
}

TEST(Mm, WritesOut) {
  Tensor out = empty({0});
  Tensor small = ones({2});

  mm(range({2, 2}), range({2, 2}), out);

  EXPECT_EQ(floats(out), (std::vector<float>{2, 3, 6, 11}));
  EXPECT_ERROR_CONTAINS(mm(range({2, 2}), range({2, 2}), small), "ValueError",
                        "mm: out of sizes [2] cannot hold a result of sizes [2, 2]");

  const auto meta = [](int64_t rows, int64_t columns) {
    return empty({rows, columns}, DType::Float32, {}, Device(kOpwDeviceMeta));
  };
  Tensor fake_out = meta(0, 8);
  mm(meta(2, 3), meta(3, 2), fake_out);
  EXPECT_EQ(testing::sizes(fake_out), (std::vector<int64_t>{2, 2}));
}

TEST(Addmm, AddsAScaledProduct) {
  const Tensor product_like = addmm(range({2}), range({2, 2}), range({2, 2}), 10, 2);

  EXPECT_EQ(floats(product_like), (std::vector<float>{4, 16, 12, 32}));
}

TEST(Addmm, DoesNotReadSelfWithABetaOfZero) {
  const Tensor nothing = full({2, 2}, std::numeric_limits<float>::quiet_NaN());

  EXPECT_EQ(floats(addmm(nothing, range({2, 2}), range({2, 2}), 0)),
            (std::vector<float>{2, 3, 6, 11}));
  EXPECT_EQ(floats(addmm(nothing, range({2, 0}), range({0, 2}), 0)),
            (std::vector<float>{0, 0, 0, 0}));
}

TEST(Addmm, NamesWhatDoesNotFit) {
  EXPECT_ERROR_CONTAINS(addmm(range({3}), range({2, 2}), range({2, 2})), "ValueError", "addmm");
  EXPECT_ERROR_CONTAINS(addmm(full({2}, 1), range({2, 2}), range({2, 2})), "TypeError",
                        "addmm: self must have the dtype of the operands, got int64 and float32");
}

TEST(Attention, OfARowThatMayLookNowhereIsZero) {
  const Tensor x = range({1, 2, 2});
  const Tensor mask = ge(range({2, 2}), 2);  // the second row attends to everything

  const Tensor result = scaled_dot_product_attention(x, x, ones({1, 2, 1}), mask);

  EXPECT_TRUE(allclose(result, range({1, 2, 1})));
}

TEST(Attention, DropsWeightsByDropout) {
  const Tensor x = range({1, 2, 2});

  EXPECT_EQ(floats(scaled_dot_product_attention(x, x, x, std::nullopt, 1)),
            (std::vector<float>{0, 0, 0, 0}));
  EXPECT_ERROR_CONTAINS(scaled_dot_product_attention(x, x, x, std::nullopt, 1.5), "ValueError",
                        "dropout: p must be a probability between 0 and 1, got 1.5");
}

TEST(Attention, OfHalvesIsAsExactAsTheyAre) {
  const Tensor x = range({1, 3, 2}).mul(2.5);

  const Tensor result = scaled_dot_product_attention(x.to(DType::BFloat16), x.to(DType::BFloat16),
                                                     x.to(DType::BFloat16));

  EXPECT_EQ(result.dtype(), DType::BFloat16);
  EXPECT_TRUE(allclose(result.to(DType::Float32), scaled_dot_product_attention(x, x, x), 0.004));
}

TEST(Matmul, TakesVectorsMatricesAndBatches) {
  const Tensor vector = range({2});
  const Tensor matrix = range({2, 2});
  const Tensor batch = range({3, 2, 2});

  EXPECT_EQ(floats(matmul(vector, vector)), (std::vector<float>{1}));
  EXPECT_EQ(floats(matmul(matrix, vector)), (std::vector<float>{1, 3}));
  EXPECT_EQ(floats(matmul(vector, matrix)), (std::vector<float>{2, 3}));
  EXPECT_EQ(floats(matmul(batch, vector)), (std::vector<float>{1, 3, 5, 7, 9, 11}));
  EXPECT_EQ(floats(matmul(vector, batch)), (std::vector<float>{2, 3, 6, 7, 10, 11}));
  EXPECT_EQ(testing::sizes(matmul(batch, matrix)), (std::vector<int64_t>{3, 2, 2}));
  EXPECT_EQ(testing::sizes(matmul(range({5, 1, 2, 2}), batch)), (std::vector<int64_t>{5, 3, 2, 2}));
}

TEST(Matmul, RefusesZeroDimsAndBatchesThatDoNotBroadcast) {
  EXPECT_ERROR_CONTAINS(matmul(scalar_tensor(1), range({2})), "RuntimeError",
                        "matmul: both operands need at least one dimension, got 0 and 1");
  EXPECT_ERROR_CONTAINS(matmul(range({3, 2, 2}), range({2, 2, 2})), "ValueError",
                        "matmul: sizes [3] and [2] do not broadcast");
}

TEST(MultiDot, KeepsSymbolicSizes) {
  TestOwner owner;
  const SymInt rows = owner.backed("s0", 5);
  const SymInt inner = owner.backed("s1", 7);
  const auto fake = [](const SymInt& height, const SymInt& width) {
    return make_fake(std::vector<SymInt>{height, width}, DType::Float32, kCpu);
  };
  const std::vector<Tensor> matrices{fake(rows, 3), fake(3, inner), fake(inner, 2)};

  EXPECT_EQ(concatenate(linalg_multi_dot(matrices)), "float32[s0, 2]");
  EXPECT_EQ(concatenate(chain_matmul(matrices)), "float32[s0, 2]");
  EXPECT_TRUE(owner.specialisations.empty());
}

TEST(MultiDot, MultipliesVectorsAtTheEnds) {
  const std::vector<Tensor> operands{range({2}), range({2, 3}), range({3, 2}), range({2})};

  EXPECT_EQ(floats(linalg_multi_dot(operands)), (std::vector<float>{40}));
}

TEST(Addbmm, ShowsTheOperandsThatDoNotFit) {
  EXPECT_ERROR_CONTAINS(addbmm(range({2, 2}), range({3, 2, 4}), range({1, 4, 2})), "RuntimeError",
                        "addbmm: batch1 and batch2 must hold the same number of matrices, got "
                        "float32[3, 2, 4] and float32[1, 4, 2]");
  EXPECT_ERROR_CONTAINS(addbmm(range({2, 2}), range({3, 2, 4}), range({3, 5, 2})), "RuntimeError",
                        "addbmm: the columns of batch1 must be as many as the rows of batch2, got "
                        "float32[3, 2, 4] and float32[3, 5, 2]");
}

}  // namespace
}  // namespace opwright
