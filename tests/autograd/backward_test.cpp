#include "opwright/autograd/backward.h"

#include <vector>

#include <gtest/gtest.h>

#include "autograd/leaves.h"
#include "base/expect_error.h"

namespace opwright {
namespace {

using testing::floats;
using testing::gradient_values;
using testing::gradient_with_respect_to;
using testing::leaf;
using testing::NoGrad;
using testing::range;
using testing::run_backward_of;
using testing::tensor_of;
using testing::Values;

TEST(Backward, OfManyElementsNeedsAGradient) {
  const Tensor y = leaf({1, 2}).sin();

  EXPECT_ERROR(run_backward_of(y), "RuntimeError",
               "backward: a gradient is needed for an output of [2] elements; only one of a single "
               "element is a scalar whose gradient is 1\n  Pass gradient=, or reduce it first, "
               "e.g. output.sum().backward()");
}

TEST(Backward, OfWhatDoesNotRequireGradIsAnError) {
  EXPECT_ERROR(run_backward_of(range({1})), "RuntimeError",
               "backward: the output does not require grad: nothing that requires grad had a part "
               "in it, or it was made under no_grad");
}

TEST(Backward, AGradientOfOtherSizesIsAnError) {
  const Tensor y = leaf({1, 2}).sin();
  const Tensor gradient = range({3});

  EXPECT_ERROR(backward({&y, 1}, {&gradient, 1}, {}), "RuntimeError",
               "Mismatch in shape: grad_output[0] has a shape of (3,) and output[0] has a shape of "
               "(2,).");
}

TEST(Backward, TakesOneGradientForEachOutput) {
  const Tensor y = leaf({1, 2}).sin();
  const std::vector<Tensor> gradients{range({2}), range({2})};

  EXPECT_ERROR(backward({&y, 1}, gradients, {}), "RuntimeError",
               "backward: 1 outputs, but 2 gradients");
}

TEST(Backward, WithInputsOnlyTheseGetGradients) {
  const Tensor x = leaf({2});
  const Tensor y = leaf({3});
  const Tensor z = x * y;

  backward({&z, 1}, {}, {&x, 1});

  EXPECT_EQ(gradient_values(x), Values{3});
  EXPECT_FALSE(gradient_of(y).is_defined());
}

TEST(Backward, WithAnInputThatRetainsItsGradientAddsItOnce) {
  const Tensor x = leaf({1});
  const Tensor y = x * 2.0;
  retain_gradient(y);
  const Tensor z = y * 3.0;

  backward({&z, 1}, {}, {&y, 1}, {.keeps_graph = true});
  EXPECT_EQ(gradient_values(y), Values{3});
  EXPECT_FALSE(gradient_of(x).is_defined());

  backward({&z, 1}, {}, {&y, 1});
  EXPECT_EQ(gradient_values(y), Values{6});
}

TEST(Backward, RunsUnderNoGrad) {
  const Tensor x = leaf({2});
  const Tensor y = x * x;

  const NoGrad scope;
  run_backward_of(y);

  EXPECT_EQ(gradient_values(x), Values{4});
  EXPECT_FALSE(requires_grad(gradient_of(x)));
}

TEST(Grad, OfAnInputWithoutAPartIsAnErrorUnlessAllowed) {
  const Tensor x = leaf({2});
  const Tensor unused = leaf({3, 4});
  const Tensor y = x * x;

  EXPECT_ERROR(gradient_with_respect_to(unused, y, {.keeps_graph = true}), "RuntimeError",
               "grad: input 0 had no part in the outputs; pass allow_unused=True to get None for "
               "it");
  EXPECT_FALSE(gradient_with_respect_to(unused, y, {.keeps_graph = true, .allow_unused = true})
                   .is_defined());
  EXPECT_EQ(floats(gradient_with_respect_to(unused, y, {.materialize = true})), (Values{0, 0}));
}

TEST(Grad, OfAnInputThatDoesNotRequireGradIsAnError) {
  const Tensor x = leaf({2});
  const Tensor plain = range({1});

  EXPECT_ERROR(gradient_with_respect_to(plain, x * plain), "RuntimeError",
               "grad: input 0 does not require grad");
}

TEST(Grad, OfAGradientIsTheSecondDerivative) {
  const Tensor x = leaf({2});
  const Tensor y = x * x * x;

  const Tensor first = gradient_with_respect_to(x, y, {.create_graph = true});
  const Tensor second = gradient_with_respect_to(x, first, {.create_graph = true});
  const Tensor third = gradient_with_respect_to(x, second);

  EXPECT_EQ(floats(first), Values{12});
  EXPECT_EQ(floats(second), Values{12});
  EXPECT_EQ(floats(third), Values{6});
}

TEST(Grad, OfASavedResultIsDifferentiatedThroughTheResult) {
  const Tensor x = leaf({0});
  const Tensor first = gradient_with_respect_to(x, x.mul(2.0).exp(), {.create_graph = true});

  EXPECT_EQ(floats(gradient_with_respect_to(x, first)), Values{4});
}

}  // namespace
}  // namespace opwright
