#include "opwright/autograd/backward_refusal.h"

#include <gtest/gtest.h>

#include "autograd/leaves.h"
#include "base/expect_error.h"

namespace opwright {
namespace {

using testing::leaf;
using testing::run_backward_of;

TEST(BackwardRefusal, AModifiedSavedValueNotifiesTheScope) {
  Tensor y = leaf({1}).exp();
  y.add_(1.0);

  const BackwardRefusalScope scope;
  EXPECT_ERROR_CONTAINS(run_backward_of(y), "RuntimeError", "modified by an in-place operation");

  EXPECT_TRUE(scope.has_refused());
}

TEST(BackwardRefusal, AFreedHistoryNotifiesTheInnermostScopeOnly) {
  const Tensor y = leaf({1}).exp();
  run_backward_of(y);

  const BackwardRefusalScope outer;
  const BackwardRefusalScope inner;
  EXPECT_ERROR_CONTAINS(run_backward_of(y), "RuntimeError", "freed by an earlier backward");

  EXPECT_TRUE(inner.has_refused());
  EXPECT_FALSE(outer.has_refused());
}

TEST(BackwardRefusal, ABackwardThatRunsDoesNotNotifyTheScope) {
  const BackwardRefusalScope scope;

  run_backward_of(leaf({1}).exp());

  EXPECT_FALSE(scope.has_refused());
}

}  // namespace
}  // namespace opwright
