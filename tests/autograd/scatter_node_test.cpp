#include "opwright/autograd/scatter_node.h"

#include <gtest/gtest.h>

#include "autograd/leaves.h"
#include "opwright/tensor/device/live_counts.h"

namespace opwright {
namespace {

using testing::floats;
using testing::gradient_values;
using testing::gradient_with_respect_to;
using testing::leaf;
using testing::range;
using testing::run_backward_of;
using testing::Values;

TEST(ScatterNode, StandsBesideTheNodeOfTheWrite) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor y = x.mul(1.0);
  const Edge before = edge_of(y);
  Tensor view = y.select(0, 1);
  view.sin_();

  const Edge after = edge_of(y);

  EXPECT_EQ(after.node->name(), "scatter");
  EXPECT_EQ(after.node->edges()[0], before);
  EXPECT_EQ(after.node->edges()[1].node->name(), "aten::sin_");
}

TEST(ScatterNode, TheViewTakesItsHistoryFromTheRoot) {
  const Tensor y = leaf({1, 2, 3}).mul(1.0);
  Tensor view = y.select(0, 1);
  view.sin_();

  EXPECT_EQ(edge_of(view).node->name(), "aten::select.int");
  EXPECT_EQ(edge_of(view).node->edges()[0], edge_of(y));
}

TEST(ScatterNode, AWriteThroughStridesOfATransposedRootIsDifferentiated) {
  const Tensor x = testing::as_leaf(range({2, 3}));
  const Tensor y = x.mul(1.0).t().contiguous().t();
  y.t().view({6}).slice(0, 0, 2).mul_(10.0);

  run_backward_of(y.sum());

  EXPECT_EQ(gradient_values(x), (Values{10, 1, 1, 10, 1, 1}));
}

TEST(ScatterNode, IsDifferentiatedTwice) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x.mul(1.0);
  Tensor view = y.select(0, 1);
  view.mul_(x.select(0, 1));
  view.mul_(x.select(0, 0));

  const Tensor first = gradient_with_respect_to(x, y.sum(), {.create_graph = true});

  EXPECT_EQ(floats(first.detach()), (Values{5, 4}));
  EXPECT_EQ(floats(gradient_with_respect_to(x, first.sum())), (Values{4, 6}));
}

TEST(ScatterNode, HasNoEdgeToARootWithoutHistory) {
  const Tensor x = leaf({5});
  const Tensor root = range({3});
  root.slice(0, 0, 1).copy_(x);

  const Edge edge = edge_of(root);

  EXPECT_FALSE(edge.node->edges()[0]);
  run_backward_of(root.sum());
  EXPECT_EQ(gradient_values(x), Values{1});
}

TEST(ScatterNode, DoesNotKeepItsRootAlive) {
  const LiveCounts before = live_counts();
  {
    const Tensor y = leaf({1, 2, 3}).mul(1.0);
    y.select(0, 1).sin_();
  }
  EXPECT_EQ(live_counts(), before);
}

}  // namespace
}  // namespace opwright
