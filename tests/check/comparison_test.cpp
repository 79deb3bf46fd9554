#include "opwright/check/example/comparison.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dispatch/test_operators.h"
#include "opwright/functions.h"

namespace opwright::testing {
namespace {

std::string difference(const Tensor& is, const Tensor& should, ComparisonOptions options = {}) {
  return find_difference(is, should, options).value_or("none");
}

TEST(FindDifference, NamesTheFirstElementAndHowManyDiffer) {
  EXPECT_EQ(difference(tensor({1, 2, 4}), tensor({1, 3, 5})),
            "element [1] is 2 and should be 3 (2 of 3 elements differ)");
}

TEST(FindDifference, LetsRoundingPassUnlessBytesAreAskedFor) {
  const Tensor near = tensor({1.0000001F});

  EXPECT_EQ(difference(near, tensor({1})), "none");
  EXPECT_EQ(difference(near, tensor({1}), {.tolerance = Tolerance{}}),
            "element [0] is 1.00000012 and should be 1 (1 of 1 element differs)");
}

TEST(FindDifference, TakesNanForNanAndNotForANumber) {
  const Tensor nan = tensor({NAN});

  EXPECT_EQ(difference(nan, nan.clone()), "none");
  EXPECT_EQ(difference(nan, tensor({1})),
            "element [0] is nan and should be 1 (1 of 1 element differs)");
}

TEST(FindDifference, NamesSizesDtypesAndStrides) {
  const Tensor square = zeros({2, 3});

  EXPECT_EQ(difference(zeros({3, 2}), square), "its sizes are [3, 2] and should be [2, 3]");
  EXPECT_EQ(difference(square.to(DType::Float64), square),
            "its dtype is float64 and should be float32");
  EXPECT_EQ(difference(zeros({3, 2}).t(), square, {.strides = true}),
            "its strides are [1, 2] and should be [3, 1]");
  EXPECT_EQ(difference(zeros({3, 2}).t(), square), "none");
}

TEST(FindDifference, ComparesFakesByWhatTheyShow) {
  const Tensor fake = zeros({2}, DType::Float32, {}, Device{kOpwDeviceMeta, 0});

  EXPECT_EQ(difference(fake, fake), "none");
}

TEST(FindDifference, ComparesListsAndNumbers) {
  const Value one(std::vector<Tensor>{tensor({1}), tensor({2})});
  const Value other(std::vector<Tensor>{tensor({1}), tensor({3})});

  EXPECT_EQ(find_difference(one.get(), other.get()),
            "[1]: element [0] is 2 and should be 3 (1 of 1 element differs)");
  EXPECT_EQ(find_difference(Value(int64_t{1}).get(), Value(int64_t{2}).get()),
            "it is 1 and should be 2");
  EXPECT_EQ(find_difference(Value(1.0).get(), Value(1.0 + 1e-12).get()), std::nullopt);
}

}  // namespace
}  // namespace opwright::testing
