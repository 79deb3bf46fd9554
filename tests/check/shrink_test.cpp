// Covers: src/check/shrink/*.
#include "opwright/check/shrink/shrink.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "check/example_of.h"
#include "opwright/check/example/example_key.h"
#include "opwright/check/example/example_text.h"
#include "opwright/check/values/value_profile.h"
#include "opwright/functions.h"
#include "opwright/tensor/overlap.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

std::string call_of(const Example& example) {
  const std::string code = code_of(example);
  return code.substr(code.find("\n\n") + 2);
}

TEST(Shrink, MakesWhatDoesNotMatterAsSimpleAsCanBe) {
  const Example given = example_of(
      "aten::mm", {Value(randn({7, 6}, DType::Float64).t()), Value(randn({7, 5}, DType::Float64))});

  const Example small = shrink(given, [](const Example&) { return true; });

  EXPECT_EQ(call_of(small),
            "self = ow.ones(1, 1)\nmat2 = ow.ones(1, 1)\now.ops.aten.mm.default(self, mat2)\n");
}

TEST(Shrink, KeepsTheLeastSizesThatShowTheFault) {
  const Example given = example_of("aten::mm", {Value(randn({7, 6})), Value(randn({6, 5}))});

  const Example small = shrink(given, [](const Example& example) {
    return example.tensors()[0].size(1) >= 3 && example.tensors()[1].size(1) >= 2;
  });

  EXPECT_EQ(list_sizes_of(small.tensors()[0]), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(list_sizes_of(small.tensors()[1]), (std::vector<int64_t>{3, 2}));
}

TEST(Shrink, KeepsStridesThatShowTheFault) {
  const Example given = example_of("aten::sin", {Value(randn({6, 7}).t())});

  const Example small =
      shrink(given, [](const Example& example) { return !example.tensors()[0].is_contiguous(); });

  EXPECT_EQ(call_of(small),
            "base = ow.ones(3)\n"
            "self = base.as_strided((1, 2), (4, 2), 0)\n"
            "ow.ops.aten.sin.default(self)\n");
}

TEST(Shrink, KeepsANanAmongOnes) {
  const Tensor x = randn({3, 4});
  x.mutable_data<float>()[0] = NAN;

  const Example small = shrink(example_of("aten::sin", {Value(x)}), [](const Example& example) {
    const Tensor values = values_of(example.tensors()[0]);
    return values.numel() > 0 && values.dtype() == DType::Float32 &&
           std::isnan(values.data<float>()[0]);
  });

  EXPECT_EQ(call_of(small),
            "self = ow.tensor([[float(\"nan\")]])\now.ops.aten.sin.default(self)\n");
}

TEST(Shrink, KeepsSharedMemoryThatShowsTheFault) {
  const Tensor x = randn({5, 4});
  const Example given = example_of("aten::add.Tensor", {Value(x), Value(x.view({5, 4}))});

  const Example small = shrink(given, [](const Example& example) {
    return overlap(example.tensors()[0], example.tensors()[1]) == Overlap::Full;
  });

  EXPECT_EQ(call_of(small),
            "base = ow.ones(1)\n"
            "self = base.as_strided((1, 1), (1, 1), 0)\n"
            "other = base.as_strided((1, 1), (1, 1), 0)\n"
            "ow.ops.aten.add.Tensor(self, other)\n");
}

TEST(Shrink, DropsElementsOfListsAndBringsNumbersBackToTheirDefaults) {
  const std::vector<Tensor> tensors = {randn({2, 3}), randn({2, 3}), randn({2, 3})};
  const Example given = example_of("aten::cat", {Value(tensors), Value(int64_t{1})});

  const Example small =
      shrink(given, [](const Example& example) { return example.values()[0].get().length >= 2; });

  EXPECT_EQ(small.values()[0].get().length, 2u);
  EXPECT_EQ(small.values()[1].get().as_int, 0);
}

TEST(Shrink, AsksNoMoreOftenThanItMay) {
  const Example given = example_of("aten::mm", {Value(randn({70, 60})), Value(randn({60, 50}))});
  int asked = 0;

  (void)shrink(given, [&](const Example&) { return ++asked % 3 == 0; }, 10);

  EXPECT_EQ(asked, 10);
}

TEST(Shrink, NeverTakesWhatDoesNotShowTheFault) {
  const Example given = example_of("aten::sin", {Value(randn({3}))});

  const Example same = shrink(given, [](const Example&) { return false; });

  EXPECT_EQ(key_of(same), key_of(given));
}

}  // namespace
}  // namespace opwright
