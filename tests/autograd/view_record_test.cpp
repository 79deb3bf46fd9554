// Views in autograd: what they are views of, and running their operators again.
#include <vector>

#include <gtest/gtest.h>

#include "autograd/leaves.h"
#include "base/expect_error.h"
#include "opwright/library.h"
#include "opwright/tensor/device/live_counts.h"

namespace opwright {
namespace {

using testing::floats;
using testing::gradient_values;
using testing::leaf;
using testing::NoGrad;
using testing::range;
using testing::run_backward_of;
using testing::Values;

Tensor first(const Tensor& x) { return x.select(0, 0); }

OPWRIGHT_LIBRARY(view_record_test, m) { m.def("first(Tensor(a) x) -> Tensor(a)"); }
OPWRIGHT_LIBRARY_IMPL(view_record_test, CompositeExplicitAutograd, m) { m.impl("first", &first); }

TEST(ViewRecord, LeadsToTheRootOverAllViewsBetween) {
  const Tensor root = range({2, 3});
  const Tensor view = root.t().slice(0, 1).select(1, 0);

  const ViewRecord* record = find_view(view);

  EXPECT_EQ(find_history(view.get())->root.get(), root.get());
  EXPECT_EQ(record->op->name(), "aten::select.int");
  EXPECT_EQ(steps_to(ViewRecordPtr::share(find_view(view))).size(), 3U);
}

TEST(ViewRecord, ReplayGivesTheViewOfAnotherRoot) {
  const Tensor view = range({2, 3}).t().slice(0, 1).select(1, 0);
  const ViewSteps steps = steps_to(ViewRecordPtr::share(find_view(view)));

  EXPECT_EQ(floats(replay(steps, range({2, 3}).mul(10.0))), (Values{10, 20}));
}

TEST(ViewRecord, ReplayOfAnElementOfAListTakesThatElement) {
  const Tensor view = range({3, 2}).unbind(0)[1];
  const ViewSteps steps = steps_to(ViewRecordPtr::share(find_view(view)));

  EXPECT_EQ(floats(replay(steps, range({3, 2}).neg())), (Values{-2, -3}));
}

TEST(ViewRecord, ScatterGivesTheRootWithTheViewReplaced) {
  const Tensor view = range({2, 3}).t().slice(0, 1).select(1, 0);
  const ViewSteps steps = steps_to(ViewRecordPtr::share(find_view(view)));

  const Tensor root = scatter(range({2, 3}), range({2}).sub(9.0), steps);

  EXPECT_EQ(floats(root), (Values{0, -9, -8, 3, 4, 5}));
}

TEST(ViewRecord, OneThatDetachMadeIsNotSeenThrough) {
  const Tensor y = leaf({1, 2}).mul(1.0);
  Tensor view = y.detach().select(0, 0);

  view.sin_();

  EXPECT_FALSE(requires_grad(view));
  EXPECT_EQ(find_view(view)->parent.get(), nullptr);
}

TEST(ViewRecord, AViewOfAViewMadeUnderNoGradIsRefusedToo) {
  const Tensor y = leaf({1, 2}).mul(1.0);
  Tensor between;
  {
    const NoGrad scope;
    between = y.unsqueeze(0);
  }
  Tensor view = between.select(0, 0);

  EXPECT_FALSE(requires_grad(view));
  EXPECT_ERROR_CONTAINS(view.sin_(), "RuntimeError", "made under no_grad");
}

TEST(ViewRecord, AWriteToAViewOfAnOperatorWithoutScatterRuleIsAnError) {
  const Tensor y = leaf({1, 2}).mul(1.0);
  Tensor view = OperatorHandle<Tensor(const Tensor&)>("view_record_test::first")(y);
  view.mul_(2.0);

  EXPECT_ERROR_CONTAINS(run_backward_of(y.sum()), "NotImplementedError",
                        "view_record_test::first: a view by it cannot be written under autograd, "
                        "since it has no scatter rule; register one with register_scatter, or "
                        "clone the view first");
}

TEST(ViewRecord, AChainOfAMillionViewsEndsWithoutRecursion) {
  const LiveCounts before = live_counts();
  {
    Tensor view = range({1});
    for (int i = 0; i < 1'000'000; ++i) view = view.view({1});
  }
  EXPECT_EQ(live_counts(), before);
}

TEST(ViewRecord, AChainOfRecordedViewsEndsWithoutRecursion) {
  const LiveCounts before = live_counts();
  {
    const Tensor x = leaf({1});
    Tensor view = x.mul(2.0);
    for (int i = 0; i < 200'000; ++i) view = view.view({1});
    run_backward_of(view);
    EXPECT_EQ(gradient_values(x), Values{2});
  }
  EXPECT_EQ(live_counts(), before);
}

}  // namespace
}  // namespace opwright
