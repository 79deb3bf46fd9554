// Where a plan's runs place values, whatever kernels do with their memory.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ir/graph_operators.h"
#include "opwright/run/plan.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/poison.h"
#include "opwright/tensor/tensor_impl.h"
#include "run/plan_runs.h"

namespace opwright {
namespace {

using testing::given;
using testing::make_plan;
using testing::matrix;
using testing::run;
using testing::ScopedOperator;
using testing::values_of;

constexpr int64_t kRows = 20;  // too large for the block cache
constexpr size_t kValueBytes = kRows * kRows * sizeof(float);

Tensor large(float value) { return matrix(kRows, kRows, value); }

// The number that fills the tensor; none if elements differ.
std::optional<float> filling(const Tensor& tensor) {
  const std::vector<float> values = values_of(tensor);
  for (const float value : values) {
    if (value != values[0]) return std::nullopt;
  }
  return values[0];
}
std::optional<float> filling(const Value& value) {
  return filling(Tensor::borrow(value.get().as_tensor));
}

// `calls` with results of one large type.
std::string graph_of(const std::string& outputs, const std::vector<std::string>& calls) {
  const std::string type = ": float32[20, 20]";
  std::string text = "graph(%x" + type + ") -> (" + outputs + ") {\n";
  for (const std::string& call : calls) {
    const size_t equals = call.find(" = ");
    text += "  " + call.substr(0, equals) + type + call.substr(equals) + "\n";
  }
  return text + "}\n";
}

class PlanMemory : public ::testing::Test {
 protected:
  testing::GraphOperators operators_;
};

const std::string kMemoryChain = graph_of("%d", {
                                                    "%a = test::negative(%x)",
                                                    "%b = test::add(%a, %x)",
                                                    "%c = test::add(%b, %a)",
                                                    "%e = test::add(%c, %b)",
                                                    "%d = test::negative(%e)",
                                                });

TEST_F(PlanMemory, IsSharedByValuesThatLiveAtDifferentTimes) {
  const PlanPtr plan = make_plan(kMemoryChain);

  (void)run(*plan, given(large(2)));
  (void)run(*plan, given(large(2)));

  EXPECT_EQ(plan->memory().value_bytes, 4 * kValueBytes);
  EXPECT_EQ(plan->memory().placed_bytes, 3 * kValueBytes);
}

TEST_F(PlanMemory, IsTheSameBlockInEveryRun) {
  static std::vector<const void*> seen;
  seen.clear();
  const ScopedOperator note(
      "test::note(Tensor x) -> Tensor", +[](const Tensor& x) {
        Tensor made = testing::copy(x);
        seen.push_back(made.data<float>());
        return made;
      });
  const PlanPtr plan = make_plan(
      graph_of("%c", {"%a = test::note(%x)", "%b = test::note(%a)", "%c = test::negative(%b)"}));
  std::vector<Value> kept;
  (void)run(*plan, given(large(2)));
  seen.clear();

  for (int i = 0; i < 3; ++i) kept.push_back(run(*plan, given(large(2)))[0]);

  ASSERT_EQ(seen.size(), 6);
  EXPECT_EQ(seen[0], seen[2]);
  EXPECT_EQ(seen[1], seen[5]);
  EXPECT_NE(seen[0], seen[1]);
}

TEST_F(PlanMemory, OfResultsIsTheirOwn) {
  const PlanPtr plan = make_plan(kMemoryChain);
  std::vector<Value> kept;
  for (int i = 0; i < 4; ++i) {
    kept.push_back(run(*plan, given(large(static_cast<float>(i))))[0]);
  }

  for (size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(filling(kept[i]), i);
}

TEST_F(PlanMemory, OfAViewLastsAsLongAsTheView) {
  const PoisonScope poison(0xFF);
  const PlanPtr plan = make_plan(graph_of("%e", {
                                                    "%a = test::negative(%x)",
                                                    "%b = test::alias(%a)",
                                                    "%c = test::negative(%x)",
                                                    "%d = test::negative(%c)",
                                                    "%e = test::add(%b, %d)",
                                                }));

  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(filling(run(*plan, given(large(static_cast<float>(i))))[0]), 0) << i;
  }
}

TEST_F(PlanMemory, ThatAKernelKeepsIsNotOverwritten) {
  static std::vector<Tensor> kept;
  const ScopedOperator keep(
      "test::keep(Tensor x) -> Tensor", +[](const Tensor& x) {
        kept.push_back(testing::copy(x));
        return kept.back();
      });
  const PlanPtr plan = make_plan(graph_of("%d", {
                                                    "%a = test::keep(%x)",
                                                    "%b = test::negative(%a)",
                                                    "%c = test::negative(%b)",
                                                    "%d = test::negative(%c)",
                                                }));

  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(filling(run(*plan, given(large(static_cast<float>(i))))[0]), -i);
  }

  for (size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(filling(kept[i]), i);
  kept.clear();
}

TEST_F(PlanMemory, ThatAKernelKeepsOnlyLaterIsNotOverwrittenEither) {
  static std::vector<Tensor> kept;
  static bool keeps = false;
  keeps = false;
  const ScopedOperator keep(
      "test::keep(Tensor x) -> Tensor", +[](const Tensor& x) {
        if (keeps) kept.push_back(x);
        return testing::copy(x);
      });
  PlanPtr plan = make_plan(graph_of("%e", {
                                              "%a = test::negative(%x)",
                                              "%b = test::keep(%a)",
                                              "%c = test::negative(%b)",
                                              "%d = test::keep(%c)",
                                              "%e = test::negative(%d)",
                                          }));
  for (int i = 0; i < 3; ++i) (void)run(*plan, given(large(1)));
  keeps = true;

  for (int i = 1; i < 9; ++i) {
    EXPECT_EQ(filling(run(*plan, given(large(static_cast<float>(i))))[0]), -i);
  }
  plan.reset();

  ASSERT_EQ(kept.size(), 16);
  for (size_t i = 0; i < kept.size(); ++i) {
    const auto given_number = static_cast<float>(i / 2 + 1);
    EXPECT_EQ(filling(kept[i]), i % 2 == 0 ? -given_number : given_number) << i;
  }
  kept.clear();
}

TEST_F(PlanMemory, IsUsedAgainOnceWhatWasKeptIsGone) {
  static std::vector<Tensor> kept;
  static bool keeps = false;
  keeps = false;
  const ScopedOperator keep(
      "test::keep(Tensor x) -> Tensor", +[](const Tensor& x) {
        if (keeps) kept.push_back(x);
        return testing::copy(x);
      });
  const PlanPtr plan = make_plan(graph_of(
      "%c", {"%a = test::negative(%x)", "%b = test::keep(%a)", "%c = test::negative(%b)"}));
  (void)run(*plan, given(large(1)));
  keeps = true;
  (void)run(*plan, given(large(1)));
  keeps = false;
  std::thread([] { kept.clear(); }).join();

  for (int i = 1; i < 5; ++i) {
    EXPECT_EQ(filling(run(*plan, given(large(static_cast<float>(i))))[0]), i);
  }
  EXPECT_EQ(plan->memory().placed_bytes, 2 * kValueBytes);
}

TEST_F(PlanMemory, ThatAKernelTakesForItselfIsServedToo) {
  static size_t outside = 0;
  const ScopedOperator twice(
      "test::twice(Tensor x) -> Tensor", +[](const Tensor& x) {
        const Tensor scratch = testing::copy(x);
        Tensor made = make_empty(x.sizes(), DType::Float32);
        for (int64_t i = 0; i < x.numel(); ++i) {
          made.mutable_data<float>()[i] = scratch.data<float>()[i] + x.data<float>()[i];
        }
        outside += impl(scratch).storage->deleter == nullptr ? 1 : 0;
        return made;
      });
  const PlanPtr plan = make_plan(graph_of("%d", {
                                                    "%a = test::twice(%x)",
                                                    "%b = test::twice(%a)",
                                                    "%c = test::twice(%b)",
                                                    "%d = test::negative(%c)",
                                                }));

  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(filling(run(*plan, given(large(static_cast<float>(i))))[0]), -8 * i);
  }
  EXPECT_EQ(outside, 0);
  EXPECT_EQ(plan->memory().value_bytes, 6 * kValueBytes);
  EXPECT_EQ(plan->memory().placed_bytes, 3 * kValueBytes);
}

TEST_F(PlanMemory, OfAnotherSizeThanWasPlannedComesFromTheAllocator) {
  static int64_t extra = 0;
  extra = 0;
  const ScopedOperator odd(
      "test::odd(Tensor x) -> Tensor", +[](const Tensor& x) {
        const Tensor scratch = matrix(kRows + extra, kRows, 7);
        return testing::map(x, [](float value) { return value + 1; });
      });
  const PlanPtr plan =
      make_plan(graph_of("%c", {"%a = test::odd(%x)", "%b = test::odd(%a)", "%c = test::odd(%b)"}));

  for (const int64_t rows : {0, 0, 5, -3, 0, 40, 0, 0}) {
    extra = rows;
    EXPECT_EQ(filling(run(*plan, given(large(1)))[0]), 4);
  }
}

TEST_F(PlanMemory, MayBeAskedForByOtherThreads) {
  const ScopedOperator elsewhere(
      "test::elsewhere(Tensor x) -> Tensor", +[](const Tensor& x) {
        Tensor made;
        std::thread([&] { made = testing::map(x, [](float value) { return value + 1; }); }).join();
        return made;
      });
  const PlanPtr plan = make_plan(graph_of("%d", {
                                                    "%a = test::elsewhere(%x)",
                                                    "%b = test::negative(%a)",
                                                    "%c = test::elsewhere(%b)",
                                                    "%d = test::negative(%c)",
                                                }));

  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(filling(run(*plan, given(large(static_cast<float>(i))))[0]), i);
  }
}

TEST_F(PlanMemory, IsGivenBackByARunThatFails) {
  static int until_failure = 0;
  const ScopedOperator fail(
      "test::fail(Tensor x) -> Tensor", +[](const Tensor& x) {
        const Tensor scratch = testing::copy(x);
        if (until_failure-- == 0) throw Error("ValueError", "it failed");
        return testing::copy(x);
      });
  const std::string text = graph_of("%d", {"%a = test::fail(%x)", "%b = test::fail(%a)",
                                           "%c = test::fail(%b)", "%d = test::negative(%c)"});
  const LiveCounts before = live_counts();
  {
    const PlanPtr plan = make_plan(text);
    for (const int when : {1, 9, 0, 9, 2, 9, 9}) {
      until_failure = when;
      if (when == 9) {
        EXPECT_EQ(filling(run(*plan, given(large(3)))[0]), -3);
      } else {
        EXPECT_ERROR_CONTAINS(run(*plan, given(large(3))), "ValueError", "it failed");
      }
    }
  }

  EXPECT_EQ(live_counts(), before);
}

TEST_F(PlanMemory, OfAResultOutlivesThePlan) {
  const PlanPtr plan =
      make_plan(graph_of("[%b, %a]", {"%a = test::negative(%x)", "%b = test::alias(%a)"}));
  (void)run(*plan, given(large(1)));
  std::vector<Value> outputs;
  {
    const PlanPtr other = make_plan(kMemoryChain);
    (void)run(*other, given(large(1)));
    outputs = run(*other, given(large(5)));
  }

  EXPECT_EQ(filling(outputs[0]), 5);
}

// The result depends on the data: it is a value that was dropped in the observed run.
TEST_F(PlanMemory, OfAResultThatWasDroppedWhenWatchedIsNotOverwritten) {
  const ScopedOperator choose(
      "test::choose(Tensor x, Tensor y) -> Tensor",
      +[](const Tensor& x, const Tensor& y) { return x.data<float>()[0] < 0 ? x : y; });
  const PlanPtr plan = make_plan(graph_of("%c", {
                                                    "%a = test::negative(%x)",
                                                    "%b = test::negative(%a)",
                                                    "%c = test::choose(%b, %a)",
                                                }));
  std::vector<Value> kept;
  for (const float value : {1.0F, 1.0F, -2.0F, -3.0F, 4.0F, -5.0F, 6.0F}) {
    kept.push_back(run(*plan, given(large(value)))[0]);
  }

  const std::vector<float> wanted{-1, -1, -2, -3, -4, -5, -6};
  for (size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(filling(kept[i]), wanted[i]) << i;
}

TEST_F(PlanMemory, FollowsSizesThatChange) {
  const PlanPtr plan = make_plan(
      "graph(%x: float32[s0, 20]) -> (%c) {\n"
      "  symbol s0 in [2, inf], hint 5, from x.size(0)\n"
      "  %a: float32[s0, 20] = test::negative(%x)\n"
      "  %b: float32[s0, 20] = test::negative(%a)\n"
      "  %c: float32[s0, 20] = test::add(%b, %a)\n"
      "}\n");

  size_t placed = 0;
  for (const int64_t rows : {20, 20, 20, 32, 32, 32, 20}) {
    EXPECT_EQ(filling(run(*plan, given(matrix(rows, 20, 3)))[0]), 0);
    placed += plan->memory().placed_bytes;
  }

  EXPECT_EQ(placed, 2 * (2 * 20 * 20 * 4) + 2 * (2 * 32 * 20 * 4));
}

}  // namespace
}  // namespace opwright
