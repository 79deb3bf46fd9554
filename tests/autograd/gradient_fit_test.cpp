#include "opwright/autograd/gradient_fit.h"

#include <vector>

#include <gtest/gtest.h>

#include "autograd/leaves.h"
#include "opwright/complex.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

using testing::elements;
using testing::floats;
using testing::range;
using testing::Values;

std::vector<SymInt> sizes(std::initializer_list<int64_t> values) {
  return {values.begin(), values.end()};
}

TEST(GradientFit, AGradientThatFitsIsLeftAlone) {
  const Tensor gradient = range({2, 3});

  EXPECT_EQ(undo_broadcast(gradient, sizes({2, 3})).get(), gradient.get());
}

TEST(GradientFit, DimensionsThatWereAddedAreSummedAway) {
  EXPECT_EQ(floats(undo_broadcast(range({2, 3}), sizes({3}))), (Values{3, 5, 7}));
}

TEST(GradientFit, DimensionsOfSizeOneAreSummedAndStay) {
  const Tensor fitting = undo_broadcast(range({2, 3}), sizes({2, 1}));

  EXPECT_EQ(testing::sizes(fitting), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(floats(fitting), (Values{3, 12}));
}

TEST(GradientFit, BothKindsTogether) {
  EXPECT_EQ(floats(undo_broadcast(range({2, 3, 2}), sizes({1, 2}))), (Values{30, 36}));
  EXPECT_EQ(floats(undo_broadcast(range({2, 3}), sizes({}))), (Values{15}));
}

TEST(GradientFit, SizesThatDoNotBroadcastGiveNothing) {
  EXPECT_FALSE(undo_broadcast(range({2, 3}), sizes({2})).is_defined());
  EXPECT_FALSE(undo_broadcast(range({3}), sizes({2, 3})).is_defined());
}

TEST(GradientFit, OfAComplexGradientTheRealPartFitsARealValue) {
  const Tensor gradient = testing::tensor_of<Complex<float>>({2}, {{1, 5}, {2, 6}});

  EXPECT_EQ(floats(fit_dtype(gradient, DType::Float32)), (Values{1, 2}));
}

}  // namespace
}  // namespace opwright
