// The engine of all pointwise operators: forms, strides, dtypes, fake kernels.
//
// Covers: src/ops/engine/pointwise/*.
#include <limits>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/registry.h"
#include "opwright/registration/operator_handle.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::elements;
using testing::floats;
using testing::range;
using testing::tensor_of;

// The out form of an operator of two tensors, which C++ calls by name.
Tensor call_out(const char* name, const Tensor& x, const Tensor& y, Tensor& out) {
  const std::array<OpwValue, 3> args{ValueOf<Tensor>::lend(x), ValueOf<Tensor>::lend(y),
                                     ValueOf<Tensor>::lend(out)};
  std::array<OpwValue, 1> results{};
  call(Registry::get().require(name), args, results);
  return ValueOf<Tensor>::take(results[0]);
}

TEST(Pointwise, KeepsTheOrderOfTheMemory) {
  const Tensor x = range({2, 3, 4}).permute({2, 0, 1});

  EXPECT_EQ(testing::strides(mul(x, x)), (std::vector<int64_t>{1, 12, 4}));
  EXPECT_EQ(testing::strides(mul(x, 2)), (std::vector<int64_t>{1, 12, 4}));
  EXPECT_EQ(testing::strides(exp(x)), (std::vector<int64_t>{1, 12, 4}));
}

TEST(Pointwise, BroadcastsRowsAndColumns) {
  const Tensor column = tensor_of<float>({2, 1}, {10, 20});
  const Tensor row = tensor_of<float>({3}, {1, 2, 3});

  EXPECT_EQ(floats(add(column, row)), (std::vector<float>{11, 12, 13, 21, 22, 23}));
  EXPECT_EQ(floats(sub(row, column)), (std::vector<float>{-9, -8, -7, -19, -18, -17}));
}

TEST(Pointwise, ConvertsAndGathersOverManyBlocks) {
  const Tensor x = arange(6000).reshape({2000, 3}).to(DType::Int32);
  const Tensor y = full({3}, 0.5, DType::Float64);

  const std::vector<double> sums = elements<double>(add(x, y));

  EXPECT_EQ(sums.size(), 6000U);
  for (size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], static_cast<double>(i) + 0.5);
}

TEST(Pointwise, WritesToStridedMemoryInPlace) {
  Tensor x = range({3, 2});
  Tensor view = x.t();
  view.mul_(tensor_of<float>({3}, {1, 10, 100}));

  EXPECT_EQ(floats(x), (std::vector<float>{0, 1, 20, 30, 400, 500}));
}

TEST(Pointwise, RoundsOperandsToTheHalfInWhichTheyMeet) {
  const Tensor whole = full({1}, 2049);  // 2048 in a half
  const Tensor half = full({1}, 1, DType::Float16);

  EXPECT_EQ(floats(add(whole, half).to(DType::Float32)), (std::vector<float>{2048}));
}

TEST(Pointwise, HasResultsWithoutElementsAndOfZeroDims) {
  EXPECT_EQ(testing::sizes(add(range({0, 3}), range({3}))), (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(add(full({}, 2.0), full({}, 3)).dim(), 0);
  EXPECT_EQ(floats(add(full({}, 2.0), full({}, 3))), (std::vector<float>{5}));
}

TEST(PointwiseOut, WritesWithTheStridesAndDtypeOfOut) {
  Tensor out = make_empty(IntList{3, 2}, DType::Float64).t();
  const Tensor result = call_out("aten::maximum.out", range({2, 3}), full({3}, 2.0), out);

  EXPECT_EQ(result.get(), out.get());
  EXPECT_EQ(elements<double>(out), (std::vector<double>{2, 2, 2, 3, 4, 5}));
  EXPECT_EQ(testing::strides(out), (std::vector<int64_t>{1, 2}));
}

TEST(PointwiseOut, GivesAnEmptyOutTheSizesOfTheResult) {
  Tensor out = make_empty(IntList{0}, DType::Float32);
  (void)call_out("aten::maximum.out", range({2, 3}), full({3}, 2.0), out);

  EXPECT_EQ(testing::sizes(out), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(floats(out), (std::vector<float>{2, 2, 2, 3, 4, 5}));
}

TEST(PointwiseOut, RefusesOtherSizesAndLowerKinds) {
  Tensor small = make_empty(IntList{2}, DType::Float32);
  Tensor ints = make_empty(IntList{3}, DType::Int64);

  EXPECT_ERROR_CONTAINS(call_out("aten::maximum.out", range({3}), range({3}), small), "ValueError",
                        "maximum: out of sizes [2] cannot hold a result of sizes [3]");
  EXPECT_ERROR_CONTAINS(call_out("aten::maximum.out", range({3}), range({3}), ints), "TypeError",
                        "maximum: a result of float32 cannot be stored in self of int64");
}

TEST(PointwiseFake, GivesWhatTheKernelGives) {
  const std::vector<SymInt> sizes{2, 3};
  const std::vector<SymInt> strides{1, 2};
  const Tensor x = make_fake(sizes, strides, 0, DType::Int32, kCpu);
  const Tensor sum = add(x, 0.5);

  EXPECT_TRUE(sum.is_fake());
  EXPECT_EQ(sum.dtype(), DType::Float32);
  EXPECT_EQ(testing::sizes(sum), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(testing::strides(sum), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(lt(x, x).dtype(), DType::Bool);
  EXPECT_EQ(div(x, x, "floor").dtype(), DType::Int32);
  EXPECT_ERROR_CONTAINS(mul(x, make_fake(std::vector<SymInt>{4}, DType::Int32, kCpu)), "ValueError",
                        "mul: sizes [2, 3] and [4] do not broadcast");
}

TEST(PointwiseFake, GivesAnEmptyOutTheSizesOfTheResult) {
  const Tensor x = make_fake(std::vector<SymInt>{2, 3}, DType::Float32, kCpu);
  Tensor out = make_fake(std::vector<SymInt>{0}, DType::Float64, kCpu);
  const Tensor result = call_out("aten::maximum.out", x, x, out);

  EXPECT_EQ(result.get(), out.get());
  EXPECT_EQ(testing::sizes(out), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(out.dtype(), DType::Float64);
}

TEST(PointwiseFake, KeepsSymbols) {
  testing::TestOwner owner;
  const SymInt rows = owner.backed("s0", 5);
  const Tensor x = make_fake(std::vector<SymInt>{rows, 3}, DType::Float32, kCpu);
  const Tensor row = make_fake(std::vector<SymInt>{1, 3}, DType::Float32, kCpu);

  EXPECT_EQ(add(x, row).sym_size(0).word(), rows.word());
  EXPECT_EQ(where(gt(x, 0), x, row).sym_size(0).word(), rows.word());
  EXPECT_EQ(exp(x).sym_stride(0), 3);
}

TEST(PointwiseFake, ChecksInPlaceAsTheKernelDoes) {
  Tensor ints = make_fake(std::vector<SymInt>{3}, DType::Int64, kCpu);

  EXPECT_ERROR_CONTAINS(ints.add_(0.5), "TypeError",
                        "add_: a result of float32 cannot be stored in self of int64");
}

}  // namespace
}  // namespace opwright
