#include "opwright/symbolic/shape_env/sizes.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::TestOwner;

const Sizes k23 = {2, 3};
const Sizes k4 = {4};

TEST(Sizes, ReadAsAList) {
  TestOwner owner;
  EXPECT_EQ(to_text(SymSizes{2, owner.backed("s0", 5)}), "[2, s0]");
  EXPECT_EQ(to_text(k23), "[2, 3]");
  EXPECT_EQ(to_text(Sizes{}), "[]");
}

TEST(Sizes, AreTheSameMemoryAsIntsWithoutASymbol) {
  TestOwner owner;
  const SymSizes plain = {2, 3};
  const auto ints = as_plain(plain);
  ASSERT_TRUE(ints);
  EXPECT_EQ(Sizes(*ints), k23);
  EXPECT_FALSE(as_plain(SymSizes{2, owner.backed("s0", 5)}));
}

TEST(Product, CountsElements) {
  TestOwner owner;
  EXPECT_EQ(product(k23), 6);
  EXPECT_EQ(product(Sizes{}), 1);
  EXPECT_EQ(product(SymSizes{2, 3}).word(), 6);
  EXPECT_EQ(concatenate(product(SymSizes{1, owner.backed("s0", 5), 3})), "s0*3");
}

TEST(Product, RefusesMoreElementsThan64BitsCount) {
  const int64_t large = int64_t{1} << 40;
  EXPECT_ERROR(product(Sizes{large, large}), "OverflowError",
               "sizes [1099511627776, 1099511627776] have more elements than 64 bits can count");
  EXPECT_EQ(product(Sizes{large, large, 0}), 0);
}

TEST(ContiguousStrides, MustFitInto64BitsWithoutElements) {
  EXPECT_EQ(contiguous_strides(Sizes{4, 0, int64_t{1} << 61}),
            (Sizes{int64_t{1} << 61, int64_t{1} << 61, 1}));
  EXPECT_ERROR(contiguous_strides(Sizes{0, 4, int64_t{1} << 61}), "OverflowError",
               "Stride calculation overflowed with sizes=[0, 4, 2305843009213693952]");
}

TEST(ContiguousStrides, CountFromTheInnermostDimension) {
  TestOwner owner;
  EXPECT_EQ(contiguous_strides(Sizes{2, 3, 4}), (Sizes{12, 4, 1}));
  EXPECT_EQ(contiguous_strides(Sizes{2, 0, 4}), (Sizes{4, 4, 1}));
  EXPECT_EQ(contiguous_strides(Sizes{}), Sizes{});
  EXPECT_EQ(to_text(contiguous_strides(SymSizes{2, 3, 4})), "[12, 4, 1]");
  EXPECT_EQ(to_text(contiguous_strides(SymSizes{2, owner.backed("s0", 5), 4})), "[4*s0, 4, 1]");
  EXPECT_EQ(to_text(contiguous_strides(SymSizes{2, owner.unbacked("u0")})), "[max(u0, 1), 1]");
}

TEST(ContiguousStrides, PutChannelsInnermost) {
  EXPECT_EQ(contiguous_strides(Sizes{2, 3, 4, 5}, MemoryFormat::ChannelsLast),
            (Sizes{60, 1, 15, 3}));
  EXPECT_EQ(contiguous_strides(Sizes{2, 3, 4, 5, 6}, MemoryFormat::ChannelsLast3d),
            (Sizes{360, 1, 90, 18, 3}));
}

TEST(ContiguousStrides, RefuseAFormatThatDoesNotFit) {
  EXPECT_ERROR(contiguous_strides(k23, MemoryFormat::ChannelsLast), "ValueError",
               "contiguous_strides: the format channels_last needs 4 dimensions, got sizes [2, 3]");
  EXPECT_ERROR(
      contiguous_strides(SymSizes{2, 3}, MemoryFormat::ChannelsLast3d), "ValueError",
      "contiguous_strides: the format channels_last_3d needs 5 dimensions, got sizes [2, 3]");
  EXPECT_ERROR(contiguous_strides(k23, MemoryFormat::Preserve), "ValueError",
               "contiguous_strides: the format preserve has no strides of its own");
}

TEST(IsContiguous, ComparesWithDenseStrides) {
  EXPECT_TRUE(is_contiguous(k23, Sizes{3, 1}, MemoryFormat::Contiguous));
  EXPECT_FALSE(is_contiguous(k23, Sizes{1, 2}, MemoryFormat::Contiguous));
  EXPECT_TRUE(is_contiguous(Sizes{}, Sizes{}, MemoryFormat::Contiguous));
  EXPECT_TRUE(is_contiguous(SymSizes{2, 3}, SymSizes{3, 1}, MemoryFormat::Contiguous));
}

TEST(IsContiguous, IgnoresStridesThatDoNotMatter) {
  EXPECT_TRUE(is_contiguous(Sizes{2, 1, 3}, Sizes{3, 77, 1}, MemoryFormat::Contiguous));
  EXPECT_TRUE(is_contiguous(Sizes{2, 0}, Sizes{9, 9}, MemoryFormat::Contiguous));
}

TEST(IsContiguous, KnowsChannelsLast) {
  const Sizes sizes = {2, 3, 4, 5};
  EXPECT_TRUE(is_contiguous(sizes, Sizes{60, 1, 15, 3}, MemoryFormat::ChannelsLast));
  EXPECT_FALSE(is_contiguous(sizes, Sizes{60, 1, 15, 3}, MemoryFormat::Contiguous));
  EXPECT_FALSE(is_contiguous(sizes, Sizes{60, 20, 5, 1}, MemoryFormat::ChannelsLast));
  EXPECT_FALSE(is_contiguous(k23, Sizes{3, 1}, MemoryFormat::ChannelsLast));
  EXPECT_TRUE(
      is_contiguous(Sizes{2, 3, 4, 5, 6}, Sizes{360, 1, 90, 18, 3}, MemoryFormat::ChannelsLast3d));
}

TEST(IsContiguous, TakesNoGuardWhereSymbolicStridesAgree) {
  TestOwner owner;
  const SymSizes sizes = {2, owner.backed("s0", 5), owner.unbacked("u0")};
  EXPECT_TRUE(is_contiguous(sizes, contiguous_strides(sizes), MemoryFormat::Contiguous));
  EXPECT_TRUE(owner.guards.empty());
}

TEST(IsContiguous, AsksNothingAboutTheStrideOfASizeThatIsPlainlyOne) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 5);
  EXPECT_TRUE(is_contiguous(SymSizes{1, 3}, SymSizes{s0, 1}, MemoryFormat::Contiguous));
  EXPECT_TRUE(owner.guards.empty());
}

TEST(IsContiguous, GuardsASymbolAtTheLineOfTheCaller) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 3);
  EXPECT_TRUE(is_contiguous(SymSizes{2, 3}, SymSizes{s0, 1}, MemoryFormat::Contiguous));
  ASSERT_EQ(owner.guards.size(), 1u);
  EXPECT_EQ(owner.guards[0].text, "s0 == 3");
  EXPECT_EQ(owner.guards[0].file, "tests/symbolic/sizes_test.cpp");
  EXPECT_EQ(owner.guards[0].line, static_cast<uint32_t>(__LINE__ - 4));
}

TEST(IsContiguous, IsFalseWhereTheOwnerCannotTell) {
  TestOwner owner;
  const SymInt u0 = owner.unbacked("u0");
  EXPECT_FALSE(is_contiguous(SymSizes{2, 3}, SymSizes{u0, 1}, MemoryFormat::Contiguous));
  EXPECT_FALSE(is_contiguous(SymSizes{u0, 3}, SymSizes{9, 1}, MemoryFormat::Contiguous));
}

TEST(BroadcastSizes, StretchesSizesOfOne) {
  EXPECT_EQ(broadcast_sizes(Sizes{2, 1}, Sizes{3}, "add"), (Sizes{2, 3}));
  EXPECT_EQ(broadcast_sizes(Sizes{}, k23, "add"), k23);
  EXPECT_EQ(broadcast_sizes(Sizes{1, 0}, Sizes{2, 1}, "add"), (Sizes{2, 0}));
  EXPECT_EQ(to_text(broadcast_sizes(SymSizes{4, 1, 3}, SymSizes{2, 3}, "add")), "[4, 2, 3]");
}

TEST(BroadcastSizes, SaysWhichDimensionDiffersForIntsAndSymInts) {
  const std::string text = "add: sizes [2, 3] and [4] do not broadcast: dimension 1 is 3 and 4";
  EXPECT_ERROR(broadcast_sizes(k23, k4, "add"), "ValueError", text);
  EXPECT_ERROR(broadcast_sizes(SymSizes{2, 3}, SymSizes{4}, "add"), "ValueError", text);
}

TEST(BroadcastSizes, NamesASymbolThatDiffers) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 5);
  EXPECT_ERROR(broadcast_sizes(SymSizes{2, s0}, SymSizes{4}, "add"), "ValueError",
               "add: sizes [2, s0] and [4] do not broadcast: dimension 1 is s0 and 4");
}

TEST(BroadcastSizes, AsksNothingWhereTheOtherSizeIsPlainlyOne) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 5);
  EXPECT_EQ(to_text(broadcast_sizes(SymSizes{2, s0}, SymSizes{1}, "add")), "[2, s0]");
  EXPECT_TRUE(owner.guards.empty());
}

TEST(BroadcastSizes, AsksNothingWhereBothSizesAreTheSameExpression) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 5);
  EXPECT_EQ(to_text(broadcast_sizes(SymSizes{s0 + 1, s0}, SymSizes{s0 + 1, s0}, "add")),
            "[s0 + 1, s0]");
  EXPECT_TRUE(owner.guards.empty());
}

TEST(BroadcastSizes, GuardsASymbolAtTheLineOfTheCaller) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 5);
  EXPECT_EQ(to_text(broadcast_sizes(SymSizes{s0}, SymSizes{5}, "add")), "[5]");
  ASSERT_EQ(owner.guards.size(), 2u);
  EXPECT_EQ(owner.guards[0].text, "s0 == 1");
  EXPECT_EQ(owner.guards[1].text, "s0 == 5");
  EXPECT_EQ(owner.guards[1].file, "tests/symbolic/sizes_test.cpp");
  EXPECT_EQ(owner.guards[1].line, static_cast<uint32_t>(__LINE__ - 5));
}

TEST(BroadcastSizes, DemandsEqualSizesAtRunTimeOfAnUnknownOne) {
  TestOwner owner;
  const SymInt u0 = owner.unbacked("u0");
  EXPECT_EQ(to_text(broadcast_sizes(SymSizes{u0}, SymSizes{5}, "add")), "[5]");
  ASSERT_EQ(owner.assertions.size(), 1u);
  EXPECT_EQ(owner.assertions[0].text, "u0 == 5");
  EXPECT_EQ(owner.assertions[0].message,
            "add: sizes [u0] and [5] do not broadcast: dimension 0 is u0 and 5");
}

TEST(InferSize, FillsInTheMissingSize) {
  EXPECT_EQ(infer_size(Sizes{3, -1}, 12, "reshape"), (Sizes{3, 4}));
  EXPECT_EQ(infer_size(Sizes{-1}, 0, "reshape"), Sizes{0});
  EXPECT_EQ(infer_size(Sizes{3, -1}, 0, "reshape"), (Sizes{3, 0}));
  EXPECT_EQ(infer_size(Sizes{3, 4}, 12, "reshape"), (Sizes{3, 4}));
  EXPECT_EQ(to_text(infer_size(SymSizes{3, -1}, 12, "reshape")), "[3, 4]");
}

TEST(InferSize, ExplainsWhatDoesNotFit) {
  EXPECT_ERROR(infer_size(Sizes{4, 2}, 6, "reshape"), "ValueError",
               "reshape: sizes [4, 2] hold 8 elements, the tensor has 6");
  EXPECT_ERROR(
      infer_size(Sizes{4, -1}, 6, "reshape"), "ValueError",
      "reshape: cannot infer -1 in [4, -1]: the tensor has 6 elements, not a multiple of 4");
  EXPECT_ERROR(infer_size(Sizes{-1, 2, -1}, 6, "reshape"), "ValueError",
               "reshape: only one size can be inferred, got two -1 in [-1, 2, -1]");
  EXPECT_ERROR(
      infer_size(Sizes{-3, 2}, 6, "reshape"), "ValueError",
      "reshape: size -3 in [-3, 2] is negative; only -1 may be, for a size to be inferred");
  EXPECT_ERROR(infer_size(Sizes{0, -1}, 0, "reshape"), "ValueError",
               "reshape: cannot infer -1 in [0, -1]: the tensor is empty, so any size would "
               "fit; pass the size");
  EXPECT_ERROR(
      infer_size(Sizes{0, -1}, 6, "reshape"), "ValueError",
      "reshape: cannot infer -1 in [0, -1]: the tensor has 6 elements, not a multiple of 0");
}

TEST(InferSize, SaysTheSameForSymInts) {
  EXPECT_ERROR(infer_size(SymSizes{4, 2}, 6, "reshape"), "ValueError",
               "reshape: sizes [4, 2] hold 8 elements, the tensor has 6");
}

TEST(InferSize, DividesSymbols) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 6);
  EXPECT_EQ(to_text(infer_size(SymSizes{-1}, s0, "reshape")), "[s0]");
  EXPECT_TRUE(owner.guards.empty());
  EXPECT_EQ(to_text(infer_size(SymSizes{2, -1}, s0, "reshape")), "[2, s0//2]");
  ASSERT_EQ(owner.guards.size(), 1u);
  EXPECT_EQ(owner.guards[0].text, "s0 % 2 == 0");
}

TEST(InferSize, DemandsAtRunTimeWhatIsNotKnownYet) {
  TestOwner owner;
  const SymInt u0 = owner.unbacked("u0");
  EXPECT_EQ(to_text(infer_size(SymSizes{2, 3}, u0, "reshape")), "[2, 3]");
  ASSERT_EQ(owner.assertions.size(), 1u);
  EXPECT_EQ(owner.assertions[0].message,
            "reshape: sizes [2, 3] hold 6 elements, the tensor has u0");
}

TEST(Sizes, LeaveNoNodeBehind) {
  TestOwner owner;
  {
    const SymSizes sizes = {2, owner.backed("s0", 5), owner.unbacked("u0")};
    const SymSizes strides = contiguous_strides(sizes);
    EXPECT_TRUE(is_contiguous(sizes, strides, MemoryFormat::Contiguous));
    EXPECT_EQ(broadcast_sizes(sizes, sizes, "add").size(), 3u);
    EXPECT_ERROR_CONTAINS(broadcast_sizes(sizes, SymSizes{7, 3}, "add"), "ValueError",
                          "do not broadcast");
  }
  EXPECT_EQ(owner.live_nodes(), 0);
}

}  // namespace
}  // namespace opwright
