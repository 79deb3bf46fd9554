// Plans of graphs with symbolic sizes: what runs compute from their inputs and results, and errors
// equal to those of evaluate().
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ir/graph_operators.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/run/plan.h"
#include "opwright/tensor/view.h"
#include "run/plan_runs.h"

namespace opwright {
namespace {

using testing::given;
using testing::lent;
using testing::make_plan;
using testing::matrix;
using testing::run;
using testing::ScopedOperator;
using testing::tensor;
using testing::values_of;

class PlanSizes : public ::testing::Test {
 protected:
  testing::GraphOperators operators_;
};

// A plan must raise the message of evaluate(), also after a successful run.
void expect_error_of_evaluate(const std::string& text, const std::vector<Value>& good,
                              const std::vector<Value>& bad, const char* kind,
                              const std::string& part) {
  const PlanPtr plan = make_plan(text);
  (void)run(*plan, good);
  const auto wanted = testing::error_of([&] { (void)evaluate(plan->graph(), lent(bad)); });
  ASSERT_TRUE(wanted.has_value()) << "evaluate() takes it";
  EXPECT_STREQ(wanted->kind(), kind);
  EXPECT_NE(std::string(wanted->message()).find(part), std::string::npos) << wanted->message();
  EXPECT_ERROR(run(*plan, bad), kind, wanted->message());
  (void)run(*plan, good);
}

constexpr const char* kDynamic =
    "graph(%x: float32[s0, 3], %y: float32[2*s0]) -> (%full, s0, [s0, 2*s0], [%y, 4]) {\n"
    "  symbol s0 in [2, 8], hint 5, from x.size(0)\n"
    "  guard s0 <= 8  # model.py:12\n"
    "  guard s0 % 2 == 1  # model.py:13\n"
    "  %full: float32[s0 + 1] = test::full([s0 + 1], 1.0)\n"
    "}\n";

TEST_F(PlanSizes, FollowTheInputs) {
  const PlanPtr plan = make_plan(kDynamic);

  for (const int64_t rows : {7, 7, 3, 5, 5, 5}) {
    const std::vector<int64_t> size{2 * rows};
    const auto outputs = run(*plan, given(matrix(rows, 3), make_empty(size, DType::Float32)));

    EXPECT_EQ(values_of(outputs[0]).size(), rows + 1);
    EXPECT_EQ(outputs[1].get().as_int, rows);
    EXPECT_EQ(outputs[2].tag(), kOpwIntList);
    EXPECT_EQ(outputs[2].get().as_ints[1], 2 * rows);
    EXPECT_EQ(outputs[3].tag(), kOpwList);
  }
}

TEST_F(PlanSizes, OfWrongInputsAreNamedAsByEvaluate) {
  const auto good = given(matrix(5, 3), tensor({1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));

  expect_error_of_evaluate(kDynamic, good, given(matrix(5, 4), tensor({1, 1})), "ValueError",
                           "dimension 1 of input 'x' must be 3, got 4");
  expect_error_of_evaluate(kDynamic, good, given(matrix(5, 3), tensor({1, 1})), "ValueError",
                           "dimension 0 of input 'y' must be 10");
  expect_error_of_evaluate(kDynamic, good, given(matrix(4, 3), matrix(1, 8)), "TypeError",
                           "another number of dimensions");
  expect_error_of_evaluate(kDynamic, good, given(matrix(4, 3), tensor({1, 1, 1, 1, 1, 1, 1, 1})),
                           "ValueError", "required at model.py:13");
  expect_error_of_evaluate(kDynamic, good, given(matrix(5, 3)), "TypeError", "it takes 2 inputs");
  expect_error_of_evaluate(kDynamic, good, given(matrix(5, 3), 1.0), "TypeError",
                           "must be a tensor, got float");
}

TEST_F(PlanSizes, OutsideOfTheirRangeAreNamedAsByEvaluate) {
  const std::string text =
      "graph(%x: float32[s0]) -> (s0) {\n"
      "  symbol s0 in [2, 4], hint 3, from x.size(0)\n"
      "}\n";

  expect_error_of_evaluate(text, given(tensor({1, 1})), given(tensor({1})), "ValueError",
                           "it was traced for 2 <= s0 <= 4");
}

TEST_F(PlanSizes, ThatAreDerivedAreSolvedForTheirSymbol) {
  const std::string text =
      "graph(%x: float32[3*s0 + 1]) -> (s0) {\n"
      "  symbol s0 in [2, inf], hint 5\n"
      "}\n";
  const auto good = given(tensor({1, 1, 1, 1, 1, 1, 1}));

  EXPECT_EQ(run(*make_plan(text), good)[0].get().as_int, 2);
  expect_error_of_evaluate(text, good, given(tensor({1, 1, 1, 1, 1, 1})), "ValueError",
                           "for an integer s0, got 6");
}

TEST_F(PlanSizes, ComeFromIntsStridesAndOffsets) {
  const PlanPtr plan = make_plan(
      "graph(%n: int(s0), %x: float32[4] strides [s1] offset(s2)) -> (s0, s1, s2, %n) {\n"
      "  symbol s0 in [-inf, inf], hint 5\n"
      "  symbol s1 in [1, inf], hint 1\n"
      "  symbol s2 in [0, inf], hint 0\n"
      "}\n");
  const Tensor base = matrix(4, 3);
  const int64_t size = 4;
  const int64_t stride = 3;

  const auto outputs = run(
      *plan, given(int64_t{-6}, make_view(base, std::span(&size, 1), std::span(&stride, 1), 2)));

  EXPECT_EQ(outputs[0].get().as_int, -6);
  EXPECT_EQ(outputs[1].get().as_int, 3);
  EXPECT_EQ(outputs[2].get().as_int, 2);
  EXPECT_EQ(outputs[3].get().as_int, -6);
}

TEST_F(PlanSizes, ThatDivideByZeroFailWhereEvaluateFails) {
  const std::string text =
      "graph(%x: float32[2], %n: int(s0)) -> (%y) {\n"
      "  symbol s0 in [-inf, inf], hint 5\n"
      "  %a: float32[2] = test::increment_(%x)\n"
      "  %y: float32[8 // s0] = test::full([8 // s0], 1.0)  # model.py:3\n"
      "}\n";
  const Tensor x = tensor({1, 2});

  EXPECT_ERROR_CONTAINS(run(*make_plan(text), given(x, int64_t{0})), "ZeroDivisionError",
                        "in the graph's '%y = test::full([8//s0], 1.0)' from model.py:3");

  EXPECT_EQ(values_of(x), (std::vector<float>{2, 3}));
}

constexpr const char* kUnbacked =
    "graph(%x: float32[3]) -> (%positive, u0, %full, [u0, 2*u0]) {\n"
    "  symbol u0 in [0, 2]\n"
    "  assert u0 <= 2, \"at most two may be positive\"  # model.py:4\n"
    "  %positive: float32[u0] = test::positive(%x)\n"
    "  %full: float32[u0 + 1] = test::full([u0 + 1], 1.0)\n"
    "}\n";

TEST_F(PlanSizes, ThatResultsTellReachTheStepsAfterThem) {
  const PlanPtr plan = make_plan(kUnbacked);

  for (const float third : {3.0F, -3.0F, 4.0F}) {
    const auto outputs = run(*plan, given(tensor({1, -1, third})));

    const int64_t found = third > 0 ? 2 : 1;
    EXPECT_EQ(outputs[1].get().as_int, found);
    EXPECT_EQ(values_of(outputs[2]).size(), found + 1);
    EXPECT_EQ(outputs[3].get().as_ints[1], 2 * found);
  }
}

TEST_F(PlanSizes, ThatAnAssertionRefusesAreNamedAsByEvaluate) {
  expect_error_of_evaluate(kUnbacked, given(tensor({1, -1, 3})), given(tensor({1, 2, 3})),
                           "ValueError",
                           "at most two may be positive (u0 <= 2, required at model.py:4, but the "
                           "graph is run with u0 = 3 (dimension 0 of %positive))");
}

TEST_F(PlanSizes, OfResultsThatNoSymbolFitsAreNamedAsByEvaluate) {
  const std::string text =
      "graph(%x: float32[3]) -> (u0) {\n"
      "  symbol u0 in [0, 9]\n"
      "  %positive: float32[2*u0] = test::positive(%x)\n"
      "}\n";

  expect_error_of_evaluate(text, given(tensor({1, -1, 3})), given(tensor({1, 2, 3})), "ValueError",
                           "must be 2*u0 for an integer u0, got 3");
}

TEST_F(PlanSizes, MayBeResultsInTheListsOfLaterSteps) {
  const ScopedOperator rows(
      "test::rows(Tensor x) -> SymInt", +[](const Tensor& x) { return SymInt(x.sizes()[0]); });
  const PlanPtr plan = make_plan(
      "graph(%x: float32[s0, 3]) -> (%y) {\n"
      "  symbol s0 in [2, inf], hint 5, from x.size(0)\n"
      "  %n: int(s0) = test::rows(%x)\n"
      "  %y: float32[s0, 2] = test::full([%n, 2], 1.0)\n"
      "}\n");

  EXPECT_EQ(values_of(run(*plan, given(matrix(4, 3)))[0]).size(), 8);
  EXPECT_EQ(values_of(run(*plan, given(matrix(6, 3)))[0]).size(), 12);
}

TEST_F(PlanSizes, MayStandInNestedListsBesideConstants) {
  const ScopedOperator nest(
      "test::nested(Tensor x, SymInt[][] lists) -> Tensor",
      +[](const Tensor& /*x*/, const std::vector<std::vector<SymInt>>& lists) {
        return tensor(
            {static_cast<float>(lists[0][1].word()), static_cast<float>(lists[1][0].word())});
      });
  const PlanPtr plan = make_plan(
      "graph(%x: float32[s0]) -> (%y) {\n"
      "  symbol s0 in [2, inf], hint 5, from x.size(0)\n"
      "  %y: float32[2] = test::nested(%x, [[1, 7], [2*s0]])\n"
      "}\n");

  EXPECT_EQ(values_of(run(*plan, given(tensor({1, 1})))[0]), (std::vector<float>{7, 4}));
  EXPECT_EQ(values_of(run(*plan, given(tensor({1, 1, 1})))[0]), (std::vector<float>{7, 6}));
}

}  // namespace
}  // namespace opwright
