// Covers: src/ops/statistics/*.
#include <array>
#include <cmath>
#include <cstdint>
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

TEST(Bincount, CountsEachNumberFromZeroOn) {
  const Tensor counts = bincount(tensor_of<int64_t>({4}, {3, 1, 3, 0}));

  EXPECT_EQ(elements<int64_t>(counts), (std::vector<int64_t>{1, 1, 0, 2}));
}

TEST(Bincount, AddsWeightsInTheirDtype) {
  const Tensor sums =
      bincount(tensor_of<int64_t>({2}, {1, 1}), tensor_of<float>({2}, {0.5F, 2.0F}), 3);

  EXPECT_EQ(floats(sums), (std::vector<float>{0, 2.5F, 0}));
}

TEST(Bincount, RefusesNegativeNumbers) {
  EXPECT_ERROR_CONTAINS(bincount(tensor_of<int64_t>({2}, {1, -2})), "RuntimeError",
                        "bincount: self must not hold negative numbers, got -2");
}

TEST(Bincount, RefusesFloats) {
  EXPECT_ERROR_CONTAINS(bincount(range({3})), "TypeError",
                        "bincount: dtype float32 is not supported; it takes integral dtypes");
}

TEST(Histc, CountsTheUpperBoundInTheLastBin) {
  EXPECT_EQ(floats(histc(range({5}), 2, 0, 4)), (std::vector<float>{2, 3}));
}

TEST(Histc, RefusesBoundsThatAreNotFinite) {
  EXPECT_ERROR_CONTAINS(histc(tensor_of<float>({1}, {1}), 2, 0, INFINITY), "RuntimeError",
                        "histc: the range of the bins must be finite, got [0, inf]");
}

TEST(Histogram, GivesTheDensityOfWeights) {
  const auto [density, edges] = histogram(range({3}), tensor_of<float>({3}, {0, 1, 3}),
                                          tensor_of<float>({3}, {1, 1, 2}), true);

  EXPECT_EQ(floats(density), (std::vector<float>{0.25F, 0.375F}));
}

TEST(Histogram, RefusesEdgesOfAnotherDtype) {
  EXPECT_ERROR_CONTAINS(histogram(range({3}), tensor_of<double>({2}, {0, 1})), "TypeError",
                        "histogram: the edges of bins, of float64, must have the dtype of self, "
                        "float32");
}

TEST(Histogramdd, RefusesTooFewBins) {
  const std::array<int64_t, 1> bins{2};

  EXPECT_ERROR_CONTAINS(histogramdd(range({2, 2}), bins), "RuntimeError",
                        "histogramdd: bins must have an entry for each column of self");
}

TEST(Histc, CountsInTheFirstBinBetweenBoundsThatItsDtypeCannotTellApart) {
  EXPECT_EQ(floats(histc(range({5}), 2, 1, 1 + 1e-12)), (std::vector<float>{1, 0}));
}

TEST(Histc, PutsElementsThatAreAllEqualInTheMiddle) {
  for (const double element : {1.0, 2e7, -1e10, 1e30})
    EXPECT_EQ(floats(histc(full({4}, element), 3)), (std::vector<float>{0, 4, 0})) << element;
  EXPECT_EQ(floats(histc(full({1}, 16777216.0), 10))[3], 1);  // the next float is 2 larger
}

TEST(Histc, RefusesBoundsThatItsDtypeCannotHold) {
  EXPECT_ERROR_CONTAINS(histc(range({3}), 2, 0, 1e300), "RuntimeError",
                        "histc: the range of the bins must be finite, got [0, inf]");
}

TEST(Histogram, CountsElementsBetweenBoundsThatAreEqual) {
  const std::vector<double> bounds{1, 1 + 1e-12};

  EXPECT_EQ(floats(std::get<0>(histogram(full({3}, 1e10), 2))), (std::vector<float>{0, 3}));
  EXPECT_EQ(floats(std::get<0>(histogram(range({3}), 2, bounds))), (std::vector<float>{0, 1}));
}

TEST(Histogram, TakesBoundsWhoseDistanceOverflows) {
  const std::vector<double> bounds{-3e38, 3e38};

  const auto [counts, edges] = histogram(tensor_of<float>({3}, {-3e38F, 1e38F, 3e38F}), 2, bounds);

  EXPECT_EQ(floats(counts), (std::vector<float>{1, 2}));
  EXPECT_EQ(floats(edges), (std::vector<float>{-3e38F, 0, 3e38F}));
}

}  // namespace
}  // namespace opwright
