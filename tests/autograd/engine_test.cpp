// Covers: src/autograd/gradient_flow, src/autograd/gradient_operators, src/autograd/value_meta,
//   src/autograd/saved_hooks.
#include "opwright/autograd/engine.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/leaves.h"
#include "base/expect_error.h"
#include "opwright/base/user_line.h"

namespace opwright {
namespace {

using testing::floats;
using testing::gradient_values;
using testing::gradient_with_respect_to;
using testing::leaf;
using testing::run_backward_of;
using testing::tensor_of;
using testing::Values;

TEST(Engine, ANodeRunsOnceAfterAllOfItsGradientsCame) {
  const Tensor x = leaf({2});
  const Tensor shared = x.mul(3.0);
  int runs = 0;
  edge_of(shared).node->add_pre_hook([&](auto /*gradients*/) { ++runs; });
  const Tensor sum = shared.sin().exp() + shared * shared + shared;

  run_backward_of(sum.mul(0.0) + shared);

  EXPECT_EQ(runs, 1);
  EXPECT_EQ(gradient_values(x), Values{3});
}

TEST(Engine, TheYoungestNodeRunsFirstInWhateverOrderGradientsCome) {
  const Tensor x = leaf({2});
  const Tensor first = x.mul(2.0);
  const Tensor second = x.mul(3.0);
  const Tensor third = x.mul(5.0);
  std::string order;
  edge_of(first).node->add_pre_hook([&](auto /*gradients*/) { order += "first "; });
  edge_of(second).node->add_pre_hook([&](auto /*gradients*/) { order += "second "; });
  edge_of(third).node->add_pre_hook([&](auto /*gradients*/) { order += "third "; });

  run_backward_of(second + first * third);

  EXPECT_EQ(order, "third second first ");
}

TEST(Engine, ManyRootsFlowTogether) {
  const Tensor x = leaf({2});
  const std::vector<Tensor> outputs{x.mul(3.0), x.mul(5.0), x};

  backward(outputs, {}, {});

  EXPECT_EQ(gradient_values(x), Values{9});
}

TEST(Engine, GradientsToTargetsLeaveLeavesAlone) {
  const Tensor x = leaf({2});
  const Tensor y = x.mul(3.0);
  const Tensor z = y * y;

  const std::vector<Tensor> inputs{y, x};
  const std::vector<Tensor> found = grad({&z, 1}, inputs, {});

  EXPECT_EQ(floats(found[0]), Values{12});
  EXPECT_EQ(floats(found[1]), Values{36});
  EXPECT_FALSE(gradient_of(x).is_defined());
}

TEST(Engine, OnlyWhatLeadsToATargetIsRun) {
  const Tensor x = leaf({2});
  const Tensor other = leaf({5});
  const Tensor aside = other.mul(7.0);
  int runs = 0;
  edge_of(aside).node->add_pre_hook([&](auto /*gradients*/) { ++runs; });

  const Tensor found = gradient_with_respect_to(x, x * aside);

  EXPECT_EQ(floats(found), Values{35});
  EXPECT_EQ(runs, 0);
}

TEST(Engine, AnOutputThatIsItsInputHasTheGradientOne) {
  const Tensor x = leaf({2});
  const Tensor y = x.mul(2.0);

  EXPECT_EQ(floats(gradient_with_respect_to(x, x)), Values{1});
  EXPECT_EQ(floats(gradient_with_respect_to(y, y)), Values{1});
}

TEST(Engine, ABackwardInsideOfAHookRunsOnItsOwn) {
  const Tensor x = leaf({2});
  const Tensor inner = leaf({3});
  const Tensor y = x.mul(2.0);
  edge_of(y).node->add_hook(0, [&](const Tensor&) {
    const AttentionScope grad_on(kAttentionGradOff, false);
    return run_backward_of(inner * inner), Tensor();
  });

  run_backward_of(y);

  EXPECT_EQ(gradient_values(x), Values{2});
  EXPECT_EQ(gradient_values(inner), Values{6});
}

// ---- Graphs that run again ----

TEST(Engine, ASecondBackwardWithoutTheSavedValuesIsAnError) {
  const Tensor y = leaf({2}).sin();
  run_backward_of(y);

  EXPECT_ERROR_CONTAINS(run_backward_of(y), "RuntimeError",
                        "the values that aten::sin saved for its backward were freed by an earlier "
                        "backward. Specify retain_graph=True in the first one to run it again");
}

TEST(Engine, AGraphThatIsKeptRunsAgain) {
  const Tensor x = leaf({2});
  const Tensor y = x * x;
  run_backward_of(y, {.keeps_graph = true});

  run_backward_of(y);

  EXPECT_EQ(gradient_values(x), Values{8});
}

TEST(Engine, NodesThatSavedNothingRunAgain) {
  const Tensor x = leaf({2});
  const Tensor y = x.neg();
  run_backward_of(y);

  run_backward_of(y);

  EXPECT_EQ(gradient_values(x), Values{-2});
}

TEST(Engine, ABackwardThatFailsLeavesTheRestOfTheGraphWhole) {
  const Tensor x = leaf({2});
  const Tensor y = x * x;
  const Tensor once = y.sin();
  run_backward_of(once.neg(), {.keeps_graph = true});
  run_backward_of(once);

  EXPECT_ERROR_CONTAINS(run_backward_of(once.neg()), "RuntimeError", "aten::sin saved");
}

// ---- Anomalies ----

TEST(Anomalies, AGradientThatIsNoNumberIsFoundWhereItArises) {
  const bool previous = set_anomaly_mode(true);
  const UserLineScope line(SourceSite{"model.py", 12});
  const Tensor x = leaf({0});
  const Tensor y = x.log().mul(0.0);

  EXPECT_ERROR_CONTAINS(
      run_backward_of((y * x.log()).mul(0.0)), "RuntimeError",
      "Function 'MulBackward0' returned nan values in its 0th output: the backward of "
      "aten::mul.Tensor, called at model.py:12");
  set_anomaly_mode(previous);
}

TEST(Anomalies, AreNotLookedForOtherwise) {
  const Tensor x = leaf({0});

  run_backward_of(x.log().mul(0.0));

  EXPECT_NE(gradient_values(x)[0], gradient_values(x)[0]);
}

// ---- Threads ----

TEST(EngineThreads, RunBackwardOverASharedGraphThatIsKept) {
  const Tensor x = leaf({2});
  Tensor y = x;
  for (int i = 0; i < 20; ++i) y = y.mul(x).mul(0.5);
  const Values expected = floats(gradient_with_respect_to(x, y, {.keeps_graph = true}));

  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        EXPECT_EQ(floats(gradient_with_respect_to(x, y, {.keeps_graph = true})), expected);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(EngineThreads, OfTwoThatFreeAGraphOneMayFailButNoneIsWrong) {
  for (int round = 0; round < 50; ++round) {
    const Tensor x = leaf({2});
    Tensor y = x;
    for (int i = 0; i < 20; ++i) y = y.mul(x).mul(0.5);
    const Values expected = floats(gradient_with_respect_to(x, y, {.keeps_graph = true}));

    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&] {
        const auto error =
            testing::error_of([&] { EXPECT_EQ(floats(gradient_with_respect_to(x, y)), expected); });
        EXPECT_TRUE(!error || error->message().find("freed by an earlier") != std::string::npos);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace opwright
