// One plan on several threads concurrently.
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "ir/graph_operators.h"
#include "opwright/dispatch/registry.h"
#include "opwright/run/plan.h"
#include "run/plan_runs.h"

namespace opwright {
namespace {

using testing::given;
using testing::make_plan;
using testing::matrix;
using testing::run;
using testing::values_of;

constexpr const char* kText =
    "graph(%x: float32[s0, 20]) -> (%c, s0) {\n"
    "  symbol s0 in [2, inf], hint 5, from x.size(0)\n"
    "  %a: float32[s0, 20] = test::negative(%x)\n"
    "  %b: float32[s0, 20] = test::add(%a, %a)\n"
    "  %v: float32[s0, 20] = test::alias(%b)\n"
    "  %c: float32[s0, 20] = test::add(%v, %a)\n"
    "}\n";

class PlanThreads : public ::testing::Test {
 protected:
  // The number of a thread's runs with the correct result.
  static int run_often(const Plan& plan, int thread) {
    int right = 0;
    for (int i = 0; i < 60; ++i) {
      const int64_t rows = 20 + thread + i / 15;
      const auto value = static_cast<float>(thread * 100 + i);
      const auto outputs = run(plan, given(matrix(rows, 20, value)));
      const std::vector<float> values = values_of(outputs[0]);
      right += outputs[1].get().as_int == rows && values.front() == -3 * value &&
                       values.back() == -3 * value
                   ? 1
                   : 0;
    }
    return right;
  }
  testing::GraphOperators operators_;
};

TEST_F(PlanThreads, EachHaveTablesAndMemoryOfTheirOwn) {
  const PlanPtr plan = make_plan(kText);
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&, i] { right += run_often(*plan, i); });
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(right, 8 * 60);
}

TEST_F(PlanThreads, MayDropWhatAnotherOneGot) {
  const PlanPtr plan = make_plan(kText);
  std::vector<Value> kept;
  for (int i = 0; i < 8; ++i) {
    std::thread([&] { kept = run(*plan, given(matrix(20, 20, 1))); }).join();
    EXPECT_EQ(values_of(kept[0])[0], -3);
  }
}

TEST_F(PlanThreads, SeeKernelsThatChangeMeanwhile) {
  const PlanPtr plan = make_plan(kText);
  std::atomic<bool> is_done = false;
  std::thread changer([&] {
    while (!is_done) {
      const Registration same =
          Registry::get().implement("test::negative", Slot::Cpu, &testing::negative_kernel);
    }
  });
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&, i] { right += run_often(*plan, i); });
  for (std::thread& thread : threads) thread.join();
  is_done = true;
  changer.join();

  EXPECT_EQ(right, 4 * 60);
}

}  // namespace
}  // namespace opwright
