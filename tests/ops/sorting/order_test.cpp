// Covers: src/ops/sorting/*.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/functions.h"

namespace opwright {
namespace {

using testing::elements;
using testing::floats;
using testing::range;
using testing::tensor_of;

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

TEST(Median, IsTheLowerOfTwoInTheMiddle) {
  EXPECT_EQ(floats(median(tensor_of<float>({4}, {4, 1, 3, 2}))), (std::vector<float>{2}));
}

TEST(Median, IsNotANumberIfAnElementIsNone) {
  const auto [values, indices] = median(tensor_of<float>({3}, {1, kNotANumber, 0}), 0);

  EXPECT_TRUE(floats(values)[0] != floats(values)[0]);
  EXPECT_EQ(elements<int64_t>(indices), (std::vector<int64_t>{1}));
}

TEST(Nanmedian, SkipsWhatIsNotANumber) {
  EXPECT_EQ(floats(nanmedian(tensor_of<float>({3}, {1, kNotANumber, 0}))), (std::vector<float>{0}));
}

TEST(Median, RefusesALineWithoutElements) {
  EXPECT_ERROR_CONTAINS(median(range({2, 0}), 1), "IndexError",
                        "median: dimension 1 of self, whose sizes are [2, 0], has no elements to "
                        "choose from");
}

TEST(Kthvalue, CountsFromOne) {
  const auto [values, indices] = kthvalue(tensor_of<int64_t>({4}, {9, 7, 8, 6}), 2);

  EXPECT_EQ(elements<int64_t>(values), (std::vector<int64_t>{7}));
  EXPECT_EQ(elements<int64_t>(indices), (std::vector<int64_t>{1}));
}

TEST(Kthvalue, RefusesAPositionPastTheEnd) {
  EXPECT_ERROR_CONTAINS(kthvalue(range({2, 3}), 4), "RuntimeError",
                        "kthvalue: k must be from 1 to the size 3 of dimension 1 of self with "
                        "sizes [2, 3], got 4");
}

TEST(Mode, IsTheSmallestOfEquallyFrequentElements) {
  const auto [values, indices] = mode(tensor_of<int64_t>({5}, {5, 2, 5, 2, 9}));

  EXPECT_EQ(elements<int64_t>(values), (std::vector<int64_t>{2}));
}

TEST(Cummax, TakesTheLastOfEqualElements) {
  const auto [values, indices] = cummax(tensor_of<float>({4}, {1, 3, 3, 2}), 0);

  EXPECT_EQ(floats(values), (std::vector<float>{1, 3, 3, 3}));
  EXPECT_EQ(elements<int64_t>(indices), (std::vector<int64_t>{0, 1, 2, 2}));
}

TEST(Unique, GivesElementsPlacesAndCounts) {
  const auto [found, inverse, counts] =
      _unique2(tensor_of<int64_t>({4}, {7, -1, 7, 3}), true, true, true);

  EXPECT_EQ(elements<int64_t>(found), (std::vector<int64_t>{-1, 3, 7}));
  EXPECT_EQ(elements<int64_t>(inverse), (std::vector<int64_t>{2, 0, 2, 1}));
  EXPECT_EQ(elements<int64_t>(counts), (std::vector<int64_t>{1, 1, 2}));
}

TEST(Unique, SortsManyElementsByTheirDigits) {
  std::vector<int64_t> many;
  for (int64_t i = 0; i < 1000; ++i) many.push_back((i * 7919 - 3000) % 500);
  const auto [found, inverse, counts] = _unique2(tensor_of<int64_t>({1000}, many));

  const std::vector<int64_t> values = elements<int64_t>(found);
  EXPECT_TRUE(std::ranges::is_sorted(values));
  EXPECT_EQ(std::ranges::adjacent_find(values), values.end());
}

TEST(UniqueDim, RefusesSlicesThatCannotBeCompared) {
  EXPECT_ERROR_CONTAINS(unique_dim(range({0, 3}), 1), "RuntimeError",
                        "unique_dim: self of sizes [0, 3] has no elements in dimension 0");
}

TEST(Searchsorted, InsertsBeforeOrAfterEqualElements) {
  const Tensor edges = tensor_of<float>({3}, {1, 2, 2});
  const Tensor value = tensor_of<float>({1}, {2});

  EXPECT_EQ(elements<int64_t>(searchsorted(edges, value)), (std::vector<int64_t>{1}));
  EXPECT_EQ(elements<int64_t>(searchsorted(edges, value, false, true)), (std::vector<int64_t>{3}));
}

TEST(Searchsorted, RefusesASideThatContradictsRight) {
  EXPECT_ERROR_CONTAINS(searchsorted(range({3}), range({1}), false, true, "left"), "RuntimeError",
                        "searchsorted: side='left' contradicts right=True; give only one of them");
}

TEST(Isin, FindsNoNotANumber) {
  const Tensor elements_of = tensor_of<float>({3}, {kNotANumber, 1, 0});

  EXPECT_EQ(elements<bool>(isin(elements_of, elements_of)), (std::vector<bool>{false, true, true}));
}

TEST(IndexReduce, RefusesAnotherReduction) {
  EXPECT_ERROR_CONTAINS(range({3}).index_reduce(0, tensor_of<int64_t>({1}, {0}), range({1}), "sum"),
                        "ValueError",
                        "index_reduce: reduce must be prod, mean, amax or amin, got sum");
}

}  // namespace
}  // namespace opwright
