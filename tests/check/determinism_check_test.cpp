#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "check/check_alone.h"
#include "opwright/base/thread_pool.h"
#include "opwright/functions.h"
#include "opwright/library.h"

namespace opwright {
namespace {

Tensor tensor_of_one(double value) { return full({1}, value, DType::Float32); }

Tensor doubles_again(const Tensor& x) { return x + x; }
Tensor counts_calls(const Tensor& x) {
  static double calls = 0;
  return x + ++calls;
}
// Occasionally wrong.
Tensor fails_at_times(const Tensor& x) {
  static int calls = 0;
  OPWRIGHT_CHECK(++calls % 5 != 0, "not today");
  return x + x;
}
Tensor by_threads(const Tensor& x) { return x * num_threads(); }
// A difference that another order of a sum may cause.
Tensor rounds_by_threads(const Tensor& x) { return x * (1 + 1e-7 * num_threads()); }
Tensor draws(const Tensor& x) { return x + rand({1}, DType::Float32); }

OPWRIGHT_LIBRARY(determinism_check_test, m) {
  m.def("doubles(Tensor x) -> Tensor", &doubles_again);
  m.def("counts(Tensor x) -> Tensor", &counts_calls);
  m.def("counts_and_says_so(Tensor x) -> Tensor", &counts_calls, {Tag::Nondeterministic});
  m.def("fails_at_times(Tensor x) -> Tensor", &fails_at_times);
  m.def("by_threads(Tensor x) -> Tensor", &by_threads);
  m.def("rounds_by_threads(Tensor x) -> Tensor", &rounds_by_threads);
  m.def("draws(Tensor x) -> Tensor", {Tag::NondeterministicSeeded});
  m.def("draws_untagged(Tensor x) -> Tensor");
  m.def("is_made_of_others(Tensor x) -> Tensor", &draws);
}

OPWRIGHT_LIBRARY_IMPL(determinism_check_test, CPU, m) {
  m.impl("draws", &draws);
  m.impl("draws_untagged", &draws);
}

std::string check_determinism(const char* name, double value = 1) {
  return finding_of("determinism", concatenate("determinism_check_test::", name),
                    {Value(tensor_of_one(value))});
}

TEST(DeterminismCheck, PassesWhatIsTheSameEveryTime) {
  EXPECT_EQ(check_determinism("doubles"), "fine");
}

TEST(DeterminismCheck, TakesANanForTheSame) {
  EXPECT_EQ(check_determinism("doubles", std::nan("")), "fine");
}

TEST(DeterminismCheck, FindsStateThatACallLeaves) {
  const std::string found = check_determinism("counts");

  EXPECT_TRUE(
      found.starts_with("differs-between-runs: determinism_check_test::counts returns different "
                        "results for the same input: the result: element [0] is "))
      << found;
}

TEST(DeterminismCheck, FindsAnErrorThatComesAtTimes) {
  EXPECT_EQ(check_determinism("fails_at_times"),
            "differs-between-runs: determinism_check_test::fails_at_times returns different "
            "results for the same input: it raises RuntimeError: not today");
}

TEST(DeterminismCheck, FindsAResultThatDependsOnTheThreads) {
  set_num_threads(2);

  EXPECT_EQ(check_determinism("by_threads"),
            "differs-by-threads: determinism_check_test::by_threads returns a different result on "
            "1 thread than on 2: the result: element [0] is 1 and should be 2 (1 of 1 element "
            "differs)");
  EXPECT_EQ(num_threads(), 2);
}

TEST(DeterminismCheck, AllowsOtherRoundingOnOtherThreads) {
  EXPECT_EQ(check_determinism("rounds_by_threads"), "fine");
}

TEST(DeterminismCheck, PassesWhatDrawsFromTheGeneratorAndSaysSo) {
  EXPECT_EQ(check_determinism("draws"), "fine");
  EXPECT_EQ(check_determinism("is_made_of_others"), "fine");
}

TEST(DeterminismCheck, FindsWhatDrawsAndDoesNotSayIt) {
  const std::string found = check_determinism("draws_untagged");

  EXPECT_TRUE(found.starts_with(
      "differs-between-runs: determinism_check_test::draws_untagged draws random numbers without "
      "declaring it: with another seed, the result: element [0] is "))
      << found;
}

TEST(DeterminismCheck, SkipsAnOperatorThatSaysIt) {
  const Operator& op = Registry::get().require("determinism_check_test::counts_and_says_so");

  EXPECT_EQ(find_checks({"determinism"})[0]->make()->find_reason_to_skip(op),
            "it has the tag nondeterministic");
}

}  // namespace
}  // namespace opwright
