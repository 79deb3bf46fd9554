#include "opwright/compile/capture/tensor_guards.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/autograd/history.h"
#include "opwright/functions.h"
#include "opwright/grad_mode.h"

namespace opwright {
namespace {

Tensor zeros_of(std::vector<SymInt> sizes) { return opwright::zeros(sizes); }

std::vector<OpwValue> lend(const std::vector<Tensor>& tensors) {
  std::vector<OpwValue> values;
  for (const Tensor& tensor : tensors) values.push_back(ValueOf<Tensor>::lend(tensor));
  return values;
}

TensorGuards guards_of(const std::vector<Tensor>& tensors, uint64_t dynamic = 0) {
  TensorGuards guards;
  const char* names[] = {"x", "y", "z"};
  for (size_t i = 0; i < tensors.size(); ++i) guards.add(tensors[i], dynamic, names[i]);
  guards.set_num_arguments(tensors.size());
  return guards;
}

std::string difference(const TensorGuards& guards, const std::vector<Tensor>& tensors) {
  const std::vector<OpwValue> values = lend(tensors);
  const std::string text = guards.find_difference(values);
  EXPECT_EQ(text.empty(), guards.check(values));
  return text;
}

TEST(TensorGuards, HoldForAnotherTensorOfTheSameKind) {
  const TensorGuards guards = guards_of({zeros_of({2, 3})});

  EXPECT_EQ(difference(guards, {zeros_of({2, 3})}), "");
}

TEST(TensorGuards, TellWhichTensorDiffersAndHow) {
  const TensorGuards guards = guards_of({zeros_of({2, 3})});
  const Tensor tracked = zeros_of({2, 3});
  set_requires_grad(tracked, true);

  EXPECT_EQ(difference(guards, {zeros_of({2, 4})}), "x.size(1) is 4, it was 3");
  EXPECT_EQ(difference(guards, {zeros_of({2, 3, 1})}), "x has 3 dimensions, it had 2");
  EXPECT_EQ(difference(guards, {zeros_of({2, 3}).to(DType::Float64)}),
            "x has dtype float64, it had float32");
  EXPECT_EQ(difference(guards, {zeros_of({3, 2}).t()}), "x has other strides, [1, 2]");
  EXPECT_EQ(difference(guards, {tracked}), "x requires grad, it did not");
}

TEST(TensorGuards, TellLeavesFromComputedTensors) {
  const Tensor leaf = zeros_of({2});
  set_requires_grad(leaf, true);
  const TensorGuards guards = guards_of({leaf});

  EXPECT_EQ(difference(guards, {leaf * 2}), "x is not a leaf, it was one");
}

TEST(TensorGuards, LeaveSizesFreeThatBecameSymbols) {
  const TensorGuards guards = guards_of({zeros_of({2, 3})}, 0b01);

  EXPECT_EQ(difference(guards, {zeros_of({7, 3})}), "");
  EXPECT_EQ(difference(guards, {zeros_of({1, 3})}), "");
  EXPECT_EQ(difference(guards, {zeros_of({0, 3})}), "x.size(0) is 0, it was not 0");
  EXPECT_EQ(difference(guards, {zeros_of({2, 4})}), "x.size(1) is 4, it was 3");
}

TEST(TensorGuards, KeepTheOrderOfDimensionsInMemoryWhereSizesAreFree) {
  const TensorGuards guards = guards_of({zeros_of({3, 2}).t()}, 0b11);

  EXPECT_EQ(difference(guards, {zeros_of({5, 4}).t()}), "");
  EXPECT_EQ(difference(guards, {zeros_of({4, 5})}), "x has other strides, [5, 1]");
}

TEST(TensorGuards, TellOneTensorGivenTwiceFromTwo) {
  const TensorGuards guards = guards_of({zeros_of({2}), zeros_of({2})});
  const Tensor x = zeros_of({2});

  EXPECT_EQ(difference(guards, {x, x}), "y is the same tensor as x, they were two");
}

TEST(TensorGuards, WatchMemoryThatIsWritten) {
  const std::vector<Tensor> apart = {zeros_of({2}), zeros_of({2})};
  TensorGuards guards = guards_of(apart);
  guards.watch_writes(apart, std::vector<uint32_t>{0});
  const Tensor base = zeros_of({4});

  EXPECT_EQ(difference(guards, {zeros_of({2}), zeros_of({2})}), "");
  EXPECT_EQ(difference(guards, {base.narrow(0, 0, 2), base.narrow(0, 2, 2)}),
            "tensors that are written share other memory than they did");
}

TEST(TensorGuards, AreShownOneForEachLine) {
  const TensorGuards guards = guards_of({zeros_of({2, 3}), zeros_of({4})});

  EXPECT_EQ(guards.text(),
            "x: float32[2, 3] on cpu strides [3, 1]\n"
            "y: float32[4] on cpu strides [1]\n");
}

TEST(StrideOrder, GivesTheStridesOfOtherSizes) {
  const std::vector<SymInt> sizes = {5, 1, 4};

  EXPECT_EQ(StrideOrder(zeros_of({2, 3, 4})).strides_of(sizes), (std::vector<SymInt>{4, 4, 1}));
  EXPECT_EQ(StrideOrder(zeros_of({4, 3, 2}).permute({2, 1, 0})).strides_of(sizes),
            (std::vector<SymInt>{1, 5, 5}));
  EXPECT_EQ(StrideOrder(zeros_of({2, 3}).narrow(1, 0, 2)).strides_of(std::vector<SymInt>{7, 2}),
            (std::vector<SymInt>{3, 1}));
}

}  // namespace
}  // namespace opwright
