#include "opwright/symbolic/shape_env/value_finder.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright {
namespace {

// Knows the value of the first unbacked symbol of an environment.
class FiveFinder final : public ValueFinder {
 public:
  explicit FiveFinder(ShapeEnv& env) : env_(env) {}
  bool find_values(const ShapeEnv& environment) override {
    ++num_asked;
    if (&environment != &env_) return false;
    env_.learn_equal("u0", 5);
    return true;
  }
  int num_asked = 0;

 private:
  ShapeEnv& env_;
};

TEST(ValueFinder, IsAskedWhereAQuestionCannotDoWithout) {
  const ShapeEnvPtr env = make_intrusive<ShapeEnv>();
  const SymInt size = env->make_unbacked();
  FiveFinder finder(*env);
  const ValueFinderScope scope(finder);

  EXPECT_TRUE(size >= 0);
  EXPECT_EQ(finder.num_asked, 0);
  EXPECT_TRUE(size > 4);
  EXPECT_FALSE(size > 5);
  EXPECT_EQ(finder.num_asked, 1);
  EXPECT_EQ(settled(size * 2 + 1).word(), 11);
}

TEST(ValueFinder, IsNotAskedOutsideOfItsScope) {
  const ShapeEnvPtr env = make_intrusive<ShapeEnv>();
  const SymInt size = env->make_unbacked();
  FiveFinder finder(*env);
  {
    const ValueFinderScope scope(finder);
  }

  EXPECT_ERROR_CONTAINS((void)(size > 4 ? 1 : 0), "DataDependentError",
                        "known only when the program runs");
  EXPECT_EQ(finder.num_asked, 0);
}

TEST(Settled, LeavesAnOpenSymbolAsItIs) {
  const ShapeEnvPtr env = make_intrusive<ShapeEnv>();
  const SymInt size = env->make_unbacked();

  EXPECT_EQ(settled(size).word(), size.word());
  EXPECT_EQ(settled(SymInt(3)).word(), 3);
}

}  // namespace
}  // namespace opwright
