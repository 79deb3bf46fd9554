#include "opwright/check/variation/other_sizes.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check/look.h"
#include "opwright/check/variation/fake_run.h"
#include "opwright/functions.h"

namespace opwright::testing {
namespace {

Tensor counted(const std::vector<int64_t>& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return arange(0, count).reshape(std::span<const int64_t>(sizes));
}

// A symbolic example of aten::add: equal sizes share a symbol.
struct Symbolic {
  Symbolic(const Tensor& x, const Tensor& y)
      : example(example_of("aten::add.Tensor", {Value(x), Value(y)})),
        fake(run_on_fakes(example, FakeMode::Sizes::Dynamic)),
        symbols(size_symbols(example, fake.forms)) {}

  [[nodiscard]] std::optional<Example> at(std::initializer_list<int64_t> values) const {
    SymbolValues all;
    size_t next = 0;
    for (const int64_t value : values) all.insert_or_assign(symbols[next++].name, value);
    return resize(example, fake.env(), fake.forms, all);
  }

  Example example;
  FakeRun fake;
  std::vector<SizeSymbol> symbols;
};

TEST(OtherSizes, EqualSizesAreOneSymbolAndTellWhereTheyStand) {
  const Symbolic symbolic(counted({3, 4}), counted({4}));

  ASSERT_EQ(symbolic.symbols.size(), 2u);
  EXPECT_EQ(symbolic.symbols[0].source, "dimension 0 of 'self'");
  EXPECT_EQ(symbolic.symbols[1].source, "dimension 1 of 'self'");
  EXPECT_EQ(symbolic.symbols[1].value, 4);
}

TEST(OtherSizes, SizesOfOneAndZeroStay) {
  EXPECT_TRUE(Symbolic(counted({1, 0}), counted({1})).symbols.empty());
}

TEST(OtherSizes, AnExampleOfOtherSizesRepeatsItsElements) {
  const std::optional<Example> resized = Symbolic(counted({2, 3}), counted({3})).at({3, 4});

  ASSERT_TRUE(resized);
  EXPECT_EQ(find_difference(resized->tensors()[1],
                            counted({3}).index_select(0, arange(0, 4).remainder(3))),
            std::nullopt);
  EXPECT_EQ(resized->tensors()[0].size(0), 3);
  EXPECT_EQ(find_difference(resized->tensors()[0].select(0, 2), resized->tensors()[0].select(0, 0)),
            std::nullopt);
}

TEST(OtherSizes, StridesFollowTheSizes) {
  const std::optional<Example> resized = Symbolic(counted({3, 2}).t(), counted({3})).at({4, 5});

  ASSERT_TRUE(resized);
  EXPECT_EQ(resized->tensors()[0].stride(0), 1);
  EXPECT_EQ(resized->tensors()[0].stride(1), 4);
}

TEST(OtherSizes, TensorsThatWouldRunIntoThemselvesAreNone) {
  const Tensor columns = counted({3, 5}).slice(1, 0, 4);

  EXPECT_TRUE(Symbolic(columns, counted({4})).at({3, 4}));
  EXPECT_FALSE(Symbolic(columns, counted({4})).at({3, 8}));
}

TEST(OtherSizes, TensorsThatShareMemoryAreNone) {
  const Tensor x = counted({3, 4});

  EXPECT_FALSE(Symbolic(x, x.select(0, 1)).at({4, 5}));
}

TEST(OtherSizes, GuardsDecideWhatIsAdmitted) {
  const Symbolic symbolic(counted({2, 6}), counted({6}));
  const std::vector<SymbolValues> proposals = propose_sizes(symbolic.symbols, 0);

  ASSERT_GT(proposals.size(), 4u);
  EXPECT_TRUE(admits(symbolic.fake.env(), proposals[0]));
  EXPECT_EQ(describe_sizes(symbolic.symbols, proposals[0]),
            " where dimension 0 of 'self' is 3, dimension 1 of 'self' is 7");
  EXPECT_FALSE(admits(symbolic.fake.env(), {{symbolic.symbols[0].name, 1}}));
}

}  // namespace
}  // namespace opwright::testing
