// Covers: src/ops/index/*.
#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::elements;
using testing::floats;
using testing::range;
using testing::sizes;
using testing::tensor_of;

using Indices = std::vector<std::optional<Tensor>>;

Tensor int_list(const std::vector<int64_t>& values) {
  return tensor_of<int64_t>({static_cast<int64_t>(values.size())}, values);
}
Tensor fake(SymIntList sizes, DType dtype = DType::Float32) {
  return make_fake(sizes, dtype, kCpu);
}

TEST(Index, CountsFromTheEndWhenNegative) {
  EXPECT_EQ(floats(range({2, 3}).index(Indices{std::nullopt, int_list({-1, 0})})),
            (std::vector<float>{2, 0, 5, 3}));
}

TEST(Index, PutsNewDimensionsFirstWhenTheIndexedOnesAreApart) {
  const Tensor x = range({2, 3, 4});

  EXPECT_EQ(sizes(x.index(Indices{int_list({0}), std::nullopt, int_list({1})})),
            (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(sizes(x.index(Indices{std::nullopt, int_list({0, 1, 2, 0, 1}), int_list({1})})),
            (std::vector<int64_t>{2, 5}));
}

TEST(Index, TakesMasks) {
  const Tensor mask = tensor_of<bool>({2, 2}, {true, false, false, true});

  EXPECT_EQ(floats(range({2, 2}).index(Indices{mask})), (std::vector<float>{0, 3}));
}

TEST(Index, NamesWhatIsWrong) {
  const Tensor x = range({2, 3});

  EXPECT_ERROR_CONTAINS(x.index(Indices{std::nullopt, int_list({0, 3})}), "IndexError",
                        "index: index 3 is out of range for dimension 1 of size 3");
  EXPECT_ERROR_CONTAINS(x.index(Indices{int_list({-3})}), "IndexError",
                        "index: index -3 is out of range for dimension 0 of size 2");
  EXPECT_ERROR_CONTAINS(x.index(Indices{tensor_of<bool>({3}, {true, true, true})}), "IndexError",
                        "index: a mask of sizes [3] does not fit the sizes [2, 3] of self from "
                        "dimension 0 on");
  EXPECT_ERROR_CONTAINS(x.index(Indices{int_list({0}), int_list({0}), int_list({0})}), "IndexError",
                        "index: 3 dimensions are indexed, but self has sizes [2, 3]");
  EXPECT_ERROR_CONTAINS(x.index(Indices{range({1})}), "IndexError",
                        "index: an index tensor must be of int64, int32 or bool, got float32[1]");
  EXPECT_ERROR_CONTAINS(x.index(Indices{int_list({0, 1}), int_list({0, 1, 2})}), "IndexError",
                        "index: shape mismatch: index tensors of sizes [2] and [3] do not "
                        "broadcast");
  EXPECT_ERROR_CONTAINS(x.index(Indices{}), "IndexError",
                        "index: indices must hold at least one tensor");
}

TEST(IndexPut, WritesAndAddsUp) {
  const Tensor x = range({4});

  EXPECT_EQ(floats(x.index_put(Indices{int_list({1, 3})}, range({}))),
            (std::vector<float>{0, 0, 2, 0}));
  EXPECT_EQ(floats(x.index_put(Indices{int_list({1, 1})}, tensor_of<float>({2}, {5, 6}), true)),
            (std::vector<float>{0, 12, 2, 3}));
}

TEST(IndexPut, ReadsItsOwnIndicesBeforeItWrites) {
  Tensor x = int_list({2, 0, 1});

  x.index_put_(Indices{x}, int_list({7, 8, 9}));

  EXPECT_EQ(elements<int64_t>(x), (std::vector<int64_t>{8, 9, 7}));
}

TEST(IndexPut, NamesWhatIsWrong) {
  Tensor x = range({2, 3});

  EXPECT_ERROR_CONTAINS(x.index_put_(Indices{int_list({0})}, int_list({1})), "TypeError",
                        "index_put_: values of int64 must have the dtype of self, float32");
  EXPECT_ERROR_CONTAINS(x.index_put_(Indices{int_list({0})}, range({2})), "ValueError",
                        "index_put_: values");
}

TEST(IndexSelect, RefusesNegativeIndices) {
  EXPECT_EQ(floats(range({3, 2}).index_select(0, int_list({2, 2}))),
            (std::vector<float>{4, 5, 4, 5}));
  EXPECT_ERROR_CONTAINS(range({3, 2}).index_select(0, int_list({-1})), "IndexError",
                        "index_select: index -1 is out of range for dimension 0 of size 3");
  EXPECT_ERROR_CONTAINS(range({3}).index_select(0, range({1})), "TypeError",
                        "index_select: index must be of int64 or int32, got float32[1]");
}

TEST(Embedding, TakesRows) {
  EXPECT_EQ(floats(embedding(range({3, 2}), int_list({1, 0}))), (std::vector<float>{2, 3, 0, 1}));
  EXPECT_ERROR_CONTAINS(embedding(range({3, 2}), int_list({3})), "IndexError",
                        "embedding: index 3 is out of range for dimension 0 of size 3");
  EXPECT_ERROR_CONTAINS(embedding(range({3}), int_list({0})), "ValueError",
                        "embedding: weight must have two dimensions, got sizes [3]");
}

TEST(Gather, TakesOneElementForEachIndex) {
  const Tensor index = tensor_of<int64_t>({2, 1}, {2, 0});

  EXPECT_EQ(floats(range({2, 3}).gather(1, index)), (std::vector<float>{2, 3}));
  EXPECT_ERROR_CONTAINS(range({2, 3}).gather(0, index), "IndexError",
                        "gather: index 2 is out of range for dimension 0 of size 2");
  EXPECT_ERROR_CONTAINS(range({1, 3}).gather(1, index), "ValueError",
                        "gather: index of sizes [2, 1] must be no larger than self of sizes [1, 3] "
                        "but in dimension 1");
  EXPECT_ERROR_CONTAINS(range({3}).gather(0, index), "ValueError",
                        "gather: index of sizes [2, 1] must have as many dimensions as self of "
                        "sizes [3]");
}

TEST(Scatter, WritesOneElementForEachIndex) {
  const Tensor index = tensor_of<int64_t>({2, 1}, {2, 0});

  EXPECT_EQ(floats(zeros({2, 3}).scatter(1, index, 5)), (std::vector<float>{0, 0, 5, 5, 0, 0}));
  EXPECT_ERROR_CONTAINS(zeros({2, 3}).scatter(1, index, int_list({1})), "TypeError",
                        "scatter_: src of int64 must have the dtype of self, float32");
}

TEST(Scatter, IsSafeWhenItWritesItsOwnIndices) {
  Tensor x = int_list({1, 0});

  x.scatter_(0, x, 1000000000);

  EXPECT_EQ(elements<int64_t>(x), (std::vector<int64_t>{1000000000, 1000000000}));
}

TEST(ScatterReduce, NamesTheReductions) {
  EXPECT_EQ(floats(range({2}).scatter_reduce(0, int_list({1, 1}), range({2}), "mean", false)),
            (std::vector<float>{0, 0.5}));
  EXPECT_ERROR_CONTAINS(range({2}).scatter_reduce(0, int_list({1}), range({1}), "median"),
                        "ValueError",
                        "scatter_reduce_: reduce must be one of 'sum', 'prod', 'mean', 'amax', "
                        "'amin', got 'median'");
}

TEST(Nonzero, GivesARowForEachElement) {
  const Tensor found = range({2, 2}).nonzero();

  EXPECT_EQ(elements<int64_t>(found), (std::vector<int64_t>{0, 1, 1, 0, 1, 1}));
}

TEST(MaskedScatter, NeedsEnoughElements) {
  const Tensor mask = tensor_of<bool>({2}, {true, true});

  EXPECT_EQ(floats(zeros({2}).masked_scatter(mask, range({3}))), (std::vector<float>{0, 1}));
  EXPECT_ERROR_CONTAINS(zeros({2}).masked_scatter(mask, range({1})), "ValueError",
                        "masked_scatter_: mask has 2 true elements, more than source of sizes [1] "
                        "has elements");
}

TEST(IndexFill, CountsFromTheEndAndTakesInt64Alone) {
  EXPECT_EQ(floats(range({3}).index_fill(0, tensor_of<int64_t>({2}, {-1, 0}), 9)),
            (std::vector<float>{9, 1, 9}));
  EXPECT_ERROR_CONTAINS(range({3}).index_fill(0, tensor_of<int64_t>({1}, {-4}), 9), "IndexError",
                        "index_fill_: index");
  EXPECT_ERROR_CONTAINS(range({3}).index_fill(0, tensor_of<int32_t>({1}, {0}), 9), "TypeError",
                        "index_fill_: index must be of int64, got int32[1]");
}

TEST(MaskedFill, KeepsTheDtype) {
  const Tensor mask = tensor_of<bool>({2}, {true, false});

  EXPECT_EQ(elements<int64_t>(int_list({1, 2}).masked_fill(mask, 3.5)),
            (std::vector<int64_t>{3, 2}));
  EXPECT_ERROR_CONTAINS(int_list({1, 2}).masked_fill(int_list({1, 0}), 3), "TypeError",
                        "masked_fill_: mask must be of bool, got int64[2]");
}

TEST(MaskedFill, WritesDenseElementsLikeOthers) {
  const Tensor mask = range({40, 5}).remainder(Scalar(3)).eq(Scalar(0));
  Tensor dense = range({40, 5});
  Tensor apart = range({40, 7}).narrow(1, 1, 5);
  apart.copy_(dense);

  dense.masked_fill_(mask, Scalar(-1));
  apart.masked_fill_(mask, Scalar(-1));

  const std::vector<float> filled = floats(dense);
  EXPECT_EQ(filled, floats(apart.contiguous()));
  EXPECT_EQ((std::vector<float>(filled.begin(), filled.begin() + 5)),
            (std::vector<float>{-1, 1, 2, -1, 4}));
}

TEST(FakeIndexing, KeepsSymbolsInSizes) {
  testing::TestOwner owner;
  const SymInt s = owner.backed("s0", 5);
  const SymInt t = owner.backed("s1", 7);
  const Tensor x = fake(SymSizes{s, 4});
  const Tensor index = fake(SymSizes{t}, DType::Int64);

  EXPECT_EQ(x.index(Indices{index}).sym_size(0).word(), t.word());
  EXPECT_EQ(x.index(Indices{std::nullopt, index}).sym_size(0).word(), s.word());
  EXPECT_EQ(x.index_select(1, index).sym_size(0).word(), s.word());
  EXPECT_EQ(embedding(x, index).sym_size(0).word(), t.word());
  EXPECT_EQ(x.scatter(1, fake(SymSizes{s, 2}, DType::Int64), 1).sym_size(0).word(), s.word());
}

TEST(FakeIndexing, SaysThatSizesAreNotKnown) {
  const Tensor x = fake({2, 3});

  EXPECT_ERROR_CONTAINS(x.nonzero(), "NotImplementedError",
                        "nonzero: how many elements are not zero decides the sizes of the result, "
                        "and a fake tensor has no data; inside FakeTensorMode or "
                        "make_fx(tracing_mode=\"symbolic\") such a size becomes a symbol");
  EXPECT_ERROR_CONTAINS(x.index(Indices{fake({2}, DType::Bool)}), "NotImplementedError",
                        "index: how many elements of a mask are true");
}

TEST(IsClose, ComparesIntegersWithoutWrappingAround) {
  const Tensor bytes = tensor_of<uint8_t>({2}, {250, 0});
  const Tensor small = tensor_of<int8_t>({1}, {127});

  EXPECT_EQ(elements<bool>(isclose(bytes, tensor_of<uint8_t>({2}, {252, 255}), 0, 2)),
            (std::vector<bool>{true, false}));
  EXPECT_EQ(elements<bool>(isclose(small, tensor_of<int8_t>({1}, {-128}), 0, 2)),
            (std::vector<bool>{false}));
  EXPECT_EQ(elements<bool>(isclose(full({1}, true), full({1}, false), 0, 0.5)),
            (std::vector<bool>{false}));
}

}  // namespace
}  // namespace opwright
