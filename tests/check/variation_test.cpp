// Covers: src/check/variation/*, src/check/values/*.
#include "opwright/check/variation/variation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check/example_of.h"
#include "opwright/check/example/example_key.h"
#include "opwright/check/values/value_profile.h"
#include "opwright/check/variation/size_ties.h"
#include "opwright/fake_tensor.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/tensor/overlap.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

Tensor first_of(const Tensor& x, const Tensor& /*y*/) { return x.clone(); }
FakeTensor fake_first_of(const FakeTensor& x, const FakeTensor& /*y*/) { return empty_like(x); }
Tensor of_optional(const Tensor& x, const std::optional<Tensor>& /*weight*/,
                   const std::vector<Tensor>& /*tracks*/, int64_t /*size*/, bool /*flag*/) {
  return x.clone();
}
bool turn(bool flag) { return !flag; }
void fill(Tensor& x, const Tensor& y) { x.copy_(y); }

OPWRIGHT_LIBRARY(variation_test, m) {
  m.def("sloppy(Tensor x, Tensor y) -> Tensor");
  m.def("unknown(Tensor x, Tensor y) -> Tensor");
  m.def("many(Tensor x, Tensor? weight, Tensor[] tracks, int size, bool flag=False) -> Tensor");
  m.def("fill(Tensor(a!) x, Tensor y) -> ()");
  m.def("flag(bool flag) -> bool");
  m.register_fake("sloppy", &fake_first_of);
}
OPWRIGHT_LIBRARY_IMPL(variation_test, CPU, m) {
  m.impl("sloppy", &first_of);
  m.impl("unknown", &first_of);
  m.impl("many", &of_optional);
  m.impl("fill", &fill);
}
OPWRIGHT_LIBRARY_IMPL(variation_test, CompositeImplicitAutograd, m) { m.impl("flag", &turn); }

std::vector<Example> variations_of(const Example& given, size_t count,
                                   VariationOptions options = {}) {
  Variations variations(given, options);
  std::vector<Example> all;
  while (all.size() < count) {
    std::optional<Example> next = variations.next();
    if (!next) break;
    all.push_back(std::move(*next));
  }
  return all;
}

bool has_one(const std::vector<Example>& examples, const std::function<bool(const Example&)>& is) {
  return std::ranges::any_of(examples, is);
}
bool all_are(const std::vector<Example>& examples, const std::function<bool(const Example&)>& are) {
  return std::ranges::all_of(examples, are);
}

Example square_mm() { return example_of("aten::mm", {Value(randn({4, 4})), Value(randn({4, 4}))}); }

TEST(SizeTies, OfAProductAreThoseThatItsFakeKernelDemands) {
  const SizeTies ties = find_size_ties(square_mm());

  EXPECT_EQ(ties.sizes.size(), 3u);
  EXPECT_EQ(ties.variables[0][1], ties.variables[1][0]);
}

TEST(SizeTies, HoldWhatAFakeKernelDoesNotLookAtToAllOfItsSize) {
  const SizeTies ties = find_size_ties(
      example_of("variation_test::sloppy", {Value(randn({3, 4})), Value(randn({3, 4}))}));

  EXPECT_EQ(ties.variables[0], ties.variables[1]);
}

TEST(SizeTies, HoldEqualSizesWhereThereIsNoFakeKernel) {
  const SizeTies ties = find_size_ties(
      example_of("variation_test::unknown", {Value(randn({3, 1})), Value(randn({3, 1}))}));

  EXPECT_EQ(ties.variables[0][0], ties.variables[1][0]);
  EXPECT_NE(ties.variables[0][1], ties.variables[1][1]);
}

TEST(Variations, GiveAProductIndependentSizesThatFit) {
  const auto examples = variations_of(square_mm(), 60);

  EXPECT_TRUE(all_are(examples, [](const Example& example) {
    return example.tensors()[0].size(1) == example.tensors()[1].size(0);
  }));
  EXPECT_TRUE(has_one(examples, [](const Example& example) {
    return list_sizes_of(example.tensors()[0]) == std::vector<int64_t>{0, 4};
  }));
  EXPECT_TRUE(has_one(examples, [](const Example& example) {
    return example.tensors()[0].size(1) == 1 && example.tensors()[0].size(0) == 4;
  }));
}

TEST(Variations, KeepTheSizesOfASloppyOperatorTogether) {
  const Example given =
      example_of("variation_test::sloppy", {Value(randn({3, 4})), Value(randn({3, 4}))});

  EXPECT_TRUE(all_are(variations_of(given, 200), [](const Example& example) {
    return list_sizes_of(example.tensors()[0]) == list_sizes_of(example.tensors()[1]);
  }));
}

TEST(Variations, KeepIndicesValid) {
  const Example given =
      example_of("aten::embedding", {Value(randn({10, 3})), Value(ints({1, 9, 5}))});

  EXPECT_TRUE(all_are(variations_of(given, 200), [](const Example& example) {
    const ValueProfile profile = profile_of(example.tensors()[1]);
    return example.tensors()[1].numel() == 0 ||
           (profile.least_int >= 0 && profile.greatest_int < example.tensors()[0].size(0));
  }));
}

TEST(Variations, KeepTheRangeOfNumbers) {
  const Example given = example_of("aten::log", {Value(floats({4}, {0.25F, 0.5F, 0.125F, 1}))});

  EXPECT_TRUE(has_one(variations_of(given, 30), [](const Example& example) {
    const ValueProfile profile = profile_of(example.tensors()[0]);
    return example.tensors()[0].numel() > 4 && profile.least >= 0.125 && profile.greatest <= 1;
  }));
}

TEST(Variations, LetIntsFollowASizeInSomeAndStayInOthers) {
  const Example given = example_of(
      "variation_test::many",
      {Value(randn({6})), Value(), Value(std::vector<Tensor>{randn({2})}), Value(int64_t{6})});
  const auto examples = variations_of(given, 80);

  EXPECT_TRUE(has_one(examples, [](const Example& example) {
    return example.tensors()[0].size(0) == 7 && example.values()[3].get().as_int == 7;
  }));
  EXPECT_TRUE(has_one(examples, [](const Example& example) {
    return example.tensors()[0].size(0) == 7 && example.values()[3].get().as_int == 6;
  }));
}

TEST(Variations, HaveOtherStridesOffsetsRepeatsAndSharedMemory) {
  const auto examples = variations_of(square_mm(), 60);

  EXPECT_TRUE(has_one(examples, [](const Example& example) {
    return example.tensors()[0].stride(0) == 1 && example.tensors()[0].size(1) > 1;
  }));
  EXPECT_TRUE(has_one(examples, [](const Example& example) {
    return impl(example.tensors()[0]).storage_offset > 0 && example.tensors()[0].is_contiguous();
  }));
  EXPECT_TRUE(has_one(examples, [](const Example& example) {
    return example.tensors()[1].stride(0) == 0 && example.tensors()[1].size(0) > 1;
  }));
  EXPECT_TRUE(has_one(examples, [](const Example& example) {
    return overlap(example.tensors()[0], example.tensors()[1]) == Overlap::Full;
  }));
}

TEST(Variations, HaveOtherDTypesSpecialValuesAndGradients) {
  const auto examples = variations_of(square_mm(), 80);

  EXPECT_TRUE(has_one(examples, [](const Example& example) {
    return example.tensors()[0].dtype() == DType::Float64 &&
           example.tensors()[1].dtype() == DType::Float64;
  }));
  EXPECT_TRUE(has_one(examples, [](const Example& example) {
    const Tensor values = values_of(example.tensors()[0]);
    return values.dtype() == DType::Float32 &&
           std::any_of(values.data<float>(), values.data<float>() + values.numel(),
                       [](float value) { return std::isnan(value); });
  }));
  EXPECT_TRUE(has_one(examples, [](const Example& example) {
    return example.tensors()[0].requires_grad() && !example.tensors()[1].requires_grad();
  }));
}

TEST(Variations, HaveOtherNumbersListsAndNone) {
  const Example given =
      example_of("variation_test::many",
                 {Value(randn({2})), Value(randn({2})),
                  Value(std::vector<Tensor>{randn({3}), randn({3})}), Value(int64_t{9})});
  const auto examples = variations_of(given, 80);

  EXPECT_TRUE(has_one(examples, [](const Example& each) { return each.values()[1].is_none(); }));
  EXPECT_TRUE(
      has_one(examples, [](const Example& each) { return each.values()[2].get().length == 3; }));
  EXPECT_TRUE(
      has_one(examples, [](const Example& each) { return each.values()[2].get().length == 0; }));
  EXPECT_TRUE(
      has_one(examples, [](const Example& each) { return each.values()[3].get().as_int == 10; }));
  EXPECT_TRUE(
      has_one(examples, [](const Example& each) { return each.values()[4].get().as_int == 1; }));
}

TEST(Variations, NeverRepeatOrShareWhatIsWritten) {
  const Example given =
      example_of("variation_test::fill", {Value(randn({3, 2})), Value(randn({3, 2}))});

  EXPECT_TRUE(all_are(variations_of(given, 200), [](const Example& example) {
    const std::vector<Tensor> tensors = example.tensors();
    return !has_internal_overlap(tensors[0]) && !tensors[0].requires_grad() &&
           overlap(tensors[0], tensors[1]) == Overlap::None;
  }));
}

TEST(Variations, AreTheSameForTheSameSeedAndNoneTwice) {
  const Example given = square_mm();
  std::vector<std::string> first;
  std::vector<std::string> second;
  for (const Example& example : variations_of(given, 150, {.seed = 3})) {
    first.push_back(key_of(example));
  }
  for (const Example& example : variations_of(given, 150, {.seed = 3})) {
    second.push_back(key_of(example));
  }

  EXPECT_EQ(first, second);
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), first.size());
}

TEST(Variations, SayWhatTheyChange) {
  const auto examples = variations_of(square_mm(), 2);

  EXPECT_EQ(examples[0].change(), "self: sizes [4, 4] became [0, 4]");
  EXPECT_EQ(examples[1].change(),
            "self: sizes [4, 4] became [4, 0]; mat2: sizes [4, 4] became [0, 4]");
}

TEST(Variations, OfALargeExampleAreSmall) {
  const Example given = example_of("aten::mm", {Value(randn({300, 200})), Value(randn({200, 50}))});
  const auto examples = variations_of(given, 20);

  EXPECT_TRUE(all_are(examples, [](const Example& example) {
    return example.tensors()[0].numel() + example.tensors()[1].numel() <= 4096;
  }));
}

TEST(Variations, EndWhereThereIsNothingToVary) {
  const Example given = example_of("variation_test::flag", {Value(true)});

  EXPECT_EQ(variations_of(given, 100).size(), 1u);
}

TEST(Variations, ThatAreWildRespectNothing) {
  const auto examples = variations_of(square_mm(), 300, {.is_wild = true});

  EXPECT_TRUE(has_one(examples, [](const Example& example) {
    return example.tensors()[0].dim() == 3 || example.tensors()[1].dim() == 3;
  }));
  EXPECT_TRUE(has_one(examples, [](const Example& example) {
    return example.tensors()[0].dtype() != example.tensors()[1].dtype();
  }));
  EXPECT_TRUE(has_one(examples, [](const Example& example) {
    return overlap(example.tensors()[0], example.tensors()[1]) == Overlap::Partial;
  }));
}

}  // namespace
}  // namespace opwright
