#include <limits>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"

namespace opwright {
namespace {

using testing::elements;
using testing::range;
using testing::tensor_of;

using Bools = std::vector<bool>;

TEST(Comparison, ComparesElementByElement) {
  const Tensor x = tensor_of<int64_t>({3}, {1, 2, 3});
  const Tensor y = tensor_of<int64_t>({3}, {2, 2, 2});

  EXPECT_EQ(elements<bool>(ne(x, y)), (Bools{true, false, true}));
  EXPECT_EQ(elements<bool>(lt(x, y)), (Bools{true, false, false}));
  EXPECT_EQ(elements<bool>(le(x, y)), (Bools{true, true, false}));
  EXPECT_EQ(elements<bool>(gt(x, y)), (Bools{false, false, true}));
  EXPECT_EQ(elements<bool>(ge(x, y)), (Bools{false, true, true}));
}

TEST(Comparison, TakesANumber) {
  const Tensor x = range({3});

  EXPECT_EQ(elements<bool>(x.ne(1)), (Bools{true, false, true}));
  EXPECT_EQ(elements<bool>(x.lt(1)), (Bools{true, false, false}));
  EXPECT_EQ(elements<bool>(x.le(0.5)), (Bools{true, false, false}));
  EXPECT_EQ(elements<bool>(x.gt(1)), (Bools{false, false, true}));
  EXPECT_EQ(elements<bool>(x.ge(1)), (Bools{false, true, true}));
}

TEST(Comparison, TakesEveryDType) {
  for (const DType dtype : testing::kNumberDTypes) {
    EXPECT_EQ(elements<bool>(range({3}).to(dtype).ne(1)), (Bools{true, false, true}));
    if (is_complex(dtype)) continue;
    EXPECT_EQ(elements<bool>(range({3}).to(dtype).gt(1)), (Bools{false, false, true}));
  }
  EXPECT_EQ(elements<bool>(tensor_of<bool>({2}, {false, true}).lt(true)), (Bools{true, false}));
}

TEST(Comparison, BroadcastsInEitherOrder) {
  const Tensor row = range({3});
  const Tensor column = range({2, 1});

  EXPECT_EQ(elements<bool>(gt(row, column)), (Bools{false, true, true, false, false, true}));
  EXPECT_EQ(elements<bool>(ge(column, row)), (Bools{true, false, false, true, true, false}));
}

TEST(Comparison, IsFalseForNotANumberExceptNe) {
  const Tensor x = full({1}, std::numeric_limits<double>::quiet_NaN());

  EXPECT_EQ(elements<bool>(ne(x, x)), (Bools{true}));
  EXPECT_EQ(elements<bool>(ge(x, x)), (Bools{false}));
  EXPECT_EQ(elements<bool>(lt(x, x)), (Bools{false}));
}

TEST(Comparison, RefusesAnOrderOfComplexNumbers) {
  const Tensor x = full({2}, Complex<double>(0, 1));

  EXPECT_ERROR_CONTAINS(lt(x, x), "TypeError", "lt: complex numbers have no order, got complex64");
  EXPECT_ERROR_CONTAINS(ge(range({2}), Complex<double>(0, 1)), "TypeError",
                        "ge: complex numbers have no order, got complex64");
  EXPECT_ERROR_CONTAINS(le(range({2}), range({3})), "ValueError",
                        "le: sizes [2] and [3] do not broadcast");
}

}  // namespace
}  // namespace opwright
