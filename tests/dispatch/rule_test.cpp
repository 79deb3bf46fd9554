#include "opwright/dispatch/rule.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/dispatch/registry.h"

namespace opwright {
namespace {

TEST(Rule, TheNumberOfResultsFollowsTheSlot) {
  const Registration defined = Registry::get().define(
      "ruletest::f_(Tensor(a!) x, Tensor? y, Tensor[] z, float w) -> (Tensor(a!), Tensor)");
  const Operator& op = Registry::get().require("ruletest::f_");

  EXPECT_EQ(count_results(op, Slot::Cpu), 2U);
  EXPECT_EQ(count_results(op, Slot::SetupContext), 0U);
  EXPECT_EQ(count_results(op, Slot::Autograd), 3U);
  EXPECT_EQ(count_results(op, Slot::Vmap), 3U);
  EXPECT_EQ(count_results(op, Slot::Functional), 2U);
  EXPECT_EQ(count_results(op, Slot::Autocast), 4U);
  EXPECT_EQ(count_results(op, Slot::Scatter), 1U);
}

TEST(Rule, AViewIsKnownByItsSchema) {
  const Registration defined = Registry::get().define(
      "ruletest::parts(Tensor y, Tensor(a -> *) x) -> (Tensor, Tensor(a)[])");
  const Operator& op = Registry::get().require("ruletest::parts");

  EXPECT_FALSE(find_viewed_argument(op, 0));
  EXPECT_EQ(find_viewed_argument(op, 1), 1U);
  EXPECT_TRUE(is_view(op));
}

TEST(Rule, AMissingRuleIsNamed) {
  const Registration defined = Registry::get().define("ruletest::bare(Tensor x) -> Tensor");

  EXPECT_ERROR(run_rule(Registry::get().require("ruletest::bare"), Slot::Scatter, {}, {}),
               "NotImplementedError", "ruletest::bare has no rule for Scatter");
}

TEST(Rule, KernelsAndBodiesHaveTheOperatorsSignature) {
  EXPECT_TRUE(has_operator_signature(Slot::Cpu));
  EXPECT_TRUE(has_operator_signature(Slot::Fake));
  EXPECT_TRUE(has_operator_signature(Slot::ImplicitComposite));
  EXPECT_FALSE(has_operator_signature(Slot::Vmap));
}

}  // namespace
}  // namespace opwright
