#include "opwright/autograd/history.h"

#include <gtest/gtest.h>

#include "autograd/leaves.h"
#include "base/expect_error.h"
#include "opwright/base/thread_state.h"
#include "opwright/tensor/device/live_counts.h"

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

TEST(History, ALeafHasNoNodeAndAResultHas) {
  const Tensor x = leaf({1});

  EXPECT_TRUE(is_leaf(x));
  EXPECT_TRUE(requires_grad(x));
  EXPECT_FALSE(is_leaf(x.sin()));
  EXPECT_TRUE(is_leaf(range({2})));
}

TEST(History, IsNotMadeUnderNoGrad) {
  const Tensor x = leaf({1});

  const NoGrad scope;

  EXPECT_FALSE(requires_grad(x.sin()));
}

TEST(History, ADetachedTensorHasNone) {
  const Tensor y = leaf({1}).sin();

  EXPECT_FALSE(requires_grad(y.detach()));
  EXPECT_TRUE(is_leaf(y.detach()));
}

TEST(History, ResultsThatHaveNoGradientsDoNotRequireGrad) {
  const Tensor x = leaf({1, 2});

  EXPECT_FALSE(requires_grad(x.gt(0.0)));
  EXPECT_FALSE(requires_grad(x.argmax()));
}

TEST(RequiresGrad, IsForFloatingAndComplexTensors) {
  EXPECT_ERROR(set_requires_grad(tensor_of<int64_t>({1}, {1}), true), "RuntimeError",
               "only tensors of floating and complex dtypes can require grad, got int64");
}

TEST(RequiresGrad, CannotBeSwitchedOffForAResult) {
  const Tensor y = leaf({1}).sin();

  EXPECT_ERROR(set_requires_grad(y, false), "RuntimeError",
               "requires_grad can be switched off for leaves only; use detach() for a tensor that "
               "was computed");
}

TEST(Gradient, MustFitItsTensor) {
  const Tensor x = leaf({1, 2});

  EXPECT_ERROR(set_gradient(x, range({3})), "RuntimeError",
               "the gradient of a tensor must have its sizes and device: [2] on cpu, got [3] on "
               "cpu");
  EXPECT_ERROR(set_gradient(x, range({2}).to(DType::Float64)), "RuntimeError",
               "attempting to assign a gradient with dtype 'float64' to a tensor with grad_dtype "
               "'float32'; convert the gradient, or set grad_dtype, to None for any dtype");
  EXPECT_ERROR(set_gradient(x, x), "RuntimeError", "a tensor cannot be its own gradient");
}

TEST(GradientDtype, IsThatOfTheLeafOrWhatWasSet) {
  const Tensor x = leaf({1, 2});
  EXPECT_EQ(gradient_dtype_of(x), DType::Float32);

  set_gradient_dtype(x, DType::Float64);
  EXPECT_EQ(gradient_dtype_of(x), DType::Float64);
  EXPECT_EQ(edge_of(x).node->meta(0).dtype(), DType::Float64);
  set_data(x, range({3}).to(DType::Float16));
  EXPECT_EQ(gradient_dtype_of(x), DType::Float64);
  EXPECT_EQ(edge_of(x).node->meta(0).dtype(), DType::Float64);

  set_gradient_dtype(x, std::nullopt);
  EXPECT_EQ(gradient_dtype_of(x), std::nullopt);
  EXPECT_TRUE(edge_of(x).node->meta(0).takes(DType::BFloat16));
}

TEST(GradientDtype, ConvertsWhatBackwardAccumulates) {
  const Tensor x = leaf({1, 2});
  set_gradient_dtype(x, DType::Float64);

  run_backward_of(x.mul(2).sum());

  EXPECT_EQ(gradient_of(x).dtype(), DType::Float64);
  EXPECT_ERROR(set_gradient_dtype(x, DType::Float32), "RuntimeError",
               "Cannot set grad_dtype to 'float32' because there is already a gradient with dtype "
               "'float64'; clear the gradient first (.grad = None)");
  EXPECT_ERROR(set_gradient_dtype(x.mul(2), DType::Float64), "RuntimeError",
               "grad_dtype can only be set on leaf tensors");
}

TEST(Gradient, OfAResultIsKeptWhereSomebodyAsked) {
  const Tensor x = leaf({2});
  const Tensor y = x * x;
  retain_gradient(y);

  run_backward_of(y.mul(3.0));

  EXPECT_EQ(gradient_values(y), Values{3});
  EXPECT_ERROR(retain_gradient(range({1})), "RuntimeError",
               "retain_grad: the tensor does not require grad, so it gets no gradient");
}

// ---- Writes ----

TEST(Write, ToALeafIsRefused) {
  Tensor x = leaf({1});

  EXPECT_ERROR(x.sin_(), "RuntimeError",
               "aten::sin_: 'self' is a leaf that requires grad and cannot be modified in place; "
               "write under no_grad, or clone it first");
  EXPECT_EQ(floats(x.detach()), Values{1});
}

TEST(Write, ToAViewOfALeafIsRefused) {
  const Tensor x = leaf({1, 2});

  EXPECT_ERROR(x.select(0, 0).sin_(), "RuntimeError",
               "aten::sin_: 'self' is a view of a leaf that requires grad and cannot be modified "
               "in place; write under no_grad, or clone it first");
}

TEST(Write, ToAViewThatIsALeafItselfIsRefused) {
  Tensor view = testing::as_leaf(range({2}).select(0, 0));

  EXPECT_ERROR_CONTAINS(view.sin_(), "RuntimeError",
                        "aten::sin_: 'self' is a leaf that requires grad");
}

TEST(Write, OfAGradientValueToALeafWithoutGradGivesItAHistory) {
  const Tensor x = leaf({1, 2});
  Tensor buffer = range({2});

  buffer.mul_(x);

  EXPECT_FALSE(is_leaf(buffer));
  run_backward_of(buffer.sum());
  EXPECT_EQ(gradient_values(x), (Values{0, 1}));
}

TEST(Write, UnderNoGradLeavesTheHistory) {
  const Tensor x = leaf({1, 2});
  Tensor y = x.mul(2.0);
  {
    const NoGrad scope;
    y.mul_(10.0);
  }

  EXPECT_EQ(floats(y.detach()), (Values{20, 40}));
  run_backward_of(y.sum());
  EXPECT_EQ(gradient_values(x), (Values{2, 2}));
}

TEST(Write, ThroughADetachedTensorIsFoundByItsVersion) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x.mul(2.0);
  const Tensor z = y.sin();
  y.detach().mul_(10.0);

  EXPECT_ERROR_CONTAINS(run_backward_of(z.sum()), "RuntimeError",
                        "aten::sin: 'self', saved for its backward, was modified by an in-place "
                        "operation: it is at version 1, expected 0\n  Clone it before it is "
                        "written, or write to a copy.");
}

TEST(Write, ToAViewMadeUnderNoGradIsRefused) {
  const Tensor y = leaf({1, 2}).mul(2.0);
  Tensor view;
  {
    const NoGrad scope;
    view = y.select(0, 0);
  }

  EXPECT_ERROR(view.sin_(), "RuntimeError",
               "aten::sin_: 'self' is a view that aten::select.int made under no_grad, and cannot "
               "be modified in place with grad mode on; make the view with grad mode on, or write "
               "under no_grad");
}

TEST(Write, ToAViewMadeInInferenceModeIsRefused) {
  const Tensor y = leaf({1, 2}).mul(2.0);
  Tensor view;
  {
    const AttentionScope inference(kAttentionInference, true);
    view = y.select(0, 0);
  }

  EXPECT_ERROR(view.sin_(), "RuntimeError",
               "aten::sin_: 'self' is a view that aten::select.int made in inference mode, and "
               "cannot be modified in place with grad mode on; make the view with grad mode on, or "
               "write under no_grad");
}

TEST(Write, OfAnArgumentThatItsOwnCallSavesIsSeen) {
  Tensor y = leaf({2}).mul(1.0);
  y.mul_(y);

  EXPECT_ERROR_CONTAINS(run_backward_of(y), "RuntimeError",
                        "aten::mul_.Tensor: 'other', saved for its backward, was modified by an "
                        "in-place operation: it is at version 1, expected 0");
}

TEST(Rebase, GivesTheRootAndAllOfItsViewsNewHistory) {
  const Tensor x = leaf({1, 2, 3});
  Tensor y = x.mul(1.0);
  const Tensor early = y.slice(0, 0, 2);
  y.select(0, 1).mul_(10.0);

  run_backward_of(early.sum(), {.keeps_graph = true});
  EXPECT_EQ(gradient_values(x), (Values{1, 10, 0}));
  run_backward_of(y.sum());
  EXPECT_EQ(gradient_values(x), (Values{2, 20, 1}));
}

TEST(Rebase, OfAViewOfAPlainRootMakesAllRequireGrad) {
  const Tensor x = leaf({5});
  const Tensor root = range({3});
  const Tensor other = root.slice(0, 1);

  root.slice(0, 0, 2).mul_(x);

  EXPECT_TRUE(requires_grad(root));
  EXPECT_TRUE(requires_grad(other));
  run_backward_of(other.sum());
  EXPECT_EQ(gradient_values(x), Values{1});
}

TEST(Rebase, OfAViewKeepsWhatTheViewWasBefore) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x.mul(1.0);
  Tensor view = y.select(0, 0);
  const Tensor before = view.mul(3.0);
  view.mul_(10.0);

  run_backward_of(before + view);

  EXPECT_EQ(gradient_values(x), (Values{13, 0}));
}

TEST(Rebase, LeavesNothingBehind) {
  const LiveCounts before = live_counts();
  {
    const Tensor x = leaf({1, 2, 3});
    Tensor y = x.mul(1.0);
    Tensor view = y.slice(0, 1);
    for (int i = 0; i < 10; ++i) view.select(0, 0).mul_(x.select(0, 0));
    EXPECT_TRUE(requires_grad(view));
    run_backward_of(y.sum());
  }
  EXPECT_EQ(live_counts(), before);
}

}  // namespace
}  // namespace opwright
