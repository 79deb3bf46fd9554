#include "opwright/autograd/tape.h"

#include <span>
#include <string>

#include <gtest/gtest.h>

#include "autograd/leaves.h"
#include "opwright/tensor/device/live_counts.h"

namespace opwright {
namespace {

using testing::floats;
using testing::gradient_values;
using testing::leaf;
using testing::run_backward_of;
using testing::Values;

TEST(Tape, ANodeIsYoungerThanWhatItsEdgesLeadTo) {
  const Tensor x = leaf({1});
  const Tensor y = x.sin();
  const Tensor z = y.sin();

  const Edge of_z = edge_of(z);

  EXPECT_GT(of_z.node->age(), edge_of(y).node->age());
  EXPECT_EQ(of_z.node->edges()[0], edge_of(y));
  EXPECT_EQ(of_z.node->name(), "aten::sin");
  EXPECT_EQ(edge_of(x).node->name(), "accumulate");
}

TEST(Tape, AChainOfAMillionNodesEndsWithoutRecursion) {
  const LiveCounts before = live_counts();
  {
    const Tensor x = leaf({2});
    Tensor y = x.neg();
    for (int i = 0; i < 1'000'000; ++i) y = y.neg();
    run_backward_of(y);
    EXPECT_EQ(gradient_values(x), Values{-1});
  }
  EXPECT_EQ(live_counts(), before);
}

TEST(Tape, AChainOfNodesThatSaveValuesEndsWithoutRecursion) {
  const LiveCounts before = live_counts();
  {
    Tensor y = leaf({2}).sin();
    for (int i = 0; i < 200'000; ++i) y = y.sin();
  }
  EXPECT_EQ(live_counts(), before);
}

TEST(Tape, AChainOfWritesEndsWithoutRecursion) {
  const LiveCounts before = live_counts();
  {
    const Tensor x = leaf({2});
    Tensor y = x.neg();
    for (int i = 0; i < 200'000; ++i) y.neg_();
    run_backward_of(y);
    EXPECT_EQ(gradient_values(x), Values{-1});
  }
  EXPECT_EQ(live_counts(), before);
}

TEST(Tape, ASavedResultDoesNotKeepItsNodeAlive) {
  const LiveCounts before = live_counts();
  {
    const Tensor x = leaf({1, 2});
    const Tensor y = x.exp();
    Tensor written = x.mul(2.0);
    written.exp_();
  }
  EXPECT_EQ(live_counts(), before);
}

TEST(Tape, AResultOfADoubleBackwardIsFreed) {
  const LiveCounts before = live_counts();
  {
    const Tensor x = leaf({1, 2});
    const Tensor first =
        testing::gradient_with_respect_to(x, x.exp().sin().sum(), {.create_graph = true});
    run_backward_of(first.sum());
  }
  EXPECT_EQ(live_counts(), before);
}

// ---- Hooks ----

TEST(TapeHooks, AreRunInTheOrderInWhichTheyWereAdded) {
  const Tensor x = leaf({1});
  const Tensor y = x.mul(2.0);
  const Edge edge = edge_of(y);
  std::string order;
  edge.node->add_pre_hook([&](auto /*gradients*/) { order += "before "; });
  edge.node->add_hook(0, [&](const Tensor&) { return order += "first ", Tensor(); });
  edge.node->add_hook(0, [&](const Tensor&) { return order += "second ", Tensor(); });
  edge.node->add_post_hook([&](auto /*given*/, auto /*gradients*/) { order += "after"; });

  run_backward_of(y);

  EXPECT_EQ(order, "first second before after");
}

TEST(TapeHooks, AGradientThatAHookGivesFlowsOn) {
  const Tensor x = leaf({1});
  const Tensor y = x.mul(2.0);
  const Edge edge = edge_of(y);
  edge.node->add_hook(0, [](const Tensor& gradient) { return gradient.mul(10.0); });
  edge.node->add_hook(0, [](const Tensor& gradient) { return gradient.add(1.0); });

  run_backward_of(y);

  EXPECT_EQ(gradient_values(x), Values{22});
}

TEST(TapeHooks, WhatRetainGradKeepsIsWhatTheOtherHooksGave) {
  const Tensor x = leaf({1});
  const Tensor y = x.mul(2.0);
  retain_gradient(y);
  edge_of(y).node->add_hook(0, [](const Tensor& gradient) { return gradient.mul(10.0); });

  run_backward_of(y);

  EXPECT_EQ(gradient_values(y), Values{10});
}

TEST(TapeHooks, OneThatRemovesItselfRunsOnce) {
  const Tensor x = leaf({1});
  const Tensor y = x.mul(2.0);
  TapeNode& node = *edge_of(y).node;
  int runs = 0;
  uint64_t id = 0;
  id = node.add_hook(0, [&](const Tensor&) {
    ++runs;
    node.remove_hook(id);
    return Tensor();
  });

  run_backward_of(y, {.keeps_graph = true});
  run_backward_of(y);

  EXPECT_EQ(runs, 1);
}

TEST(TapeHooks, StayOnTheHistoryOfTheirTime) {
  const Tensor x = leaf({1});
  Tensor y = x.mul(2.0);
  edge_of(y).node->add_hook(0, [](const Tensor& gradient) { return gradient.mul(10.0); });
  y.mul_(3.0);

  run_backward_of(y);

  EXPECT_EQ(gradient_values(x), Values{60});
}

TEST(TapeHooks, PostHooksMayReplaceWhatTheNodeGave) {
  const Tensor x = leaf({1});
  const Tensor y = x.mul(2.0);
  edge_of(y).node->add_post_hook(
      [](std::span<Tensor> given, auto gradients) { given[0] = given[0] + gradients[0]; });

  run_backward_of(y);

  EXPECT_EQ(gradient_values(x), Values{3});
}

}  // namespace
}  // namespace opwright
