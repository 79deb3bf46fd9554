#include "opwright/autograd/accumulate.h"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/leaves.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

using testing::gradient_values;
using testing::leaf;
using testing::NoGrad;
using testing::run_backward_of;
using testing::tensor_of;
using testing::Values;

TEST(Accumulate, SumsUpInTheMemoryOfTheFirstGradient) {
  const Tensor x = leaf({1, 2});
  run_backward_of(x.sum());
  const Tensor first = gradient_of(x);

  run_backward_of(x.mul(2.0).sum());

  EXPECT_EQ(gradient_of(x).get(), first.get());
  EXPECT_EQ(gradient_values(x), (Values{3, 3}));
}

TEST(Accumulate, MakesANewGradientWhereTheSumIsRecorded) {
  const Tensor x = leaf({1, 2});
  run_backward_of((x * x).sum(), {.create_graph = true});
  const Tensor first = gradient_of(x);

  run_backward_of((x * x).sum(), {.create_graph = true});

  EXPECT_NE(gradient_of(x).get(), first.get());
  EXPECT_TRUE(requires_grad(gradient_of(x)));
  EXPECT_EQ(gradient_values(x), (Values{4, 8}));
}

TEST(Accumulate, OneGradientForTwoLeavesIsNotShared) {
  const Tensor x = leaf({1, 2});
  const Tensor y = leaf({3, 4});

  run_backward_of((x + y).sum());
  const NoGrad scope;
  gradient_of(x).mul_(5.0);

  EXPECT_EQ(gradient_values(y), (Values{1, 1}));
}

TEST(Accumulate, AnExpandedGradientBecomesDense) {
  const Tensor x = leaf({1, 2});

  run_backward_of(x.sum());

  EXPECT_TRUE(gradient_of(x).is_contiguous());
  EXPECT_NE(gradient_of(x).strides()[0], 0);
}

TEST(Accumulate, TheGradientThatTheCallerPassedIsNotTaken) {
  const Tensor x = leaf({1, 2});
  const Tensor passed = tensor_of<float>({2}, {5, 6});
  const Tensor y = x.neg().neg();

  backward({&y, 1}, {&passed, 1}, {});
  run_backward_of(x.sum());

  EXPECT_EQ(testing::floats(passed), (Values{5, 6}));
  EXPECT_EQ(gradient_values(x), (Values{6, 7}));
}

TEST(Accumulate, ALeafHookSeesTheWholeSum) {
  const Tensor x = leaf({1});
  Values seen;
  static_cast<Accumulate&>(*edge_of(x).node).add_leaf_hook([&](const Tensor& of) {
    seen.push_back(gradient_values(of)[0]);
  });

  run_backward_of(x.mul(2.0) + x.mul(3.0));
  run_backward_of(x.neg());

  EXPECT_EQ(seen, (Values{5, 4}));
}

TEST(Accumulate, AGradientForALeafThatIsGoneGoesNowhere) {
  Tensor x = leaf({1});
  const Tensor y = x.sin().sum();
  x = Tensor();

  run_backward_of(y);

  EXPECT_FALSE(gradient_of(y).is_defined());
}

TEST(Accumulate, ThreadsThatShareLeavesAndNodesSumUpAll) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 200;
  const Tensor x = leaf({1, 2});
  const Tensor shared = x.exp();
  const Tensor factor = tensor_of<float>({2}, {2, 2});

  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        run_backward_of((x * factor).sum());
        run_backward_of((shared * 0.0).sum(), {.keeps_graph = true});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(gradient_values(x), (Values{2 * kThreads * kRounds, 2 * kThreads * kRounds}));
}

TEST(Accumulate, ALeafMayGoWhileAnotherThreadRunsBackwardToIt) {
  constexpr int kRounds = 2000;
  const int64_t before = live_counts().tensors;
  int64_t made_elsewhere = 0;
  for (int round = 0; round < kRounds; ++round) {
    Tensor x = leaf({1, 2});
    const Tensor loss = (x * 2.0).sum();
    std::atomic<bool> is_running{false};
    std::thread other([&] {
      is_running.store(true);
      run_backward_of(loss);
      made_elsewhere += live_counts().tensors;
    });
    while (!is_running.load()) std::this_thread::yield();
    x = Tensor();
    other.join();
  }
  EXPECT_EQ(live_counts().tensors + made_elsewhere, before);
}

TEST(Accumulate, ThreadsMayUseALeafForTheFirstTimeAtOnce) {
  for (int round = 0; round < 50; ++round) {
    const Tensor x = leaf({1});
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) threads.emplace_back([&] { run_backward_of(x.mul(2.0)); });
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(gradient_values(x), Values{6});
  }
}

}  // namespace
}  // namespace opwright
