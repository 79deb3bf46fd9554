// Queries from the user's own line.
#include "opwright/symbolic/shape_env/user_question.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/base/user_line.h"
#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright {
namespace {

class UserQuestion : public ::testing::Test {
 protected:
  ShapeEnvPtr env = ShapeEnvPtr::take(new ShapeEnv());
  SymInt n = env->make_size(8, "x.size(0)");
  SymInt is_large = (n > 4).value();
};

TEST_F(UserQuestion, NamesTheUsersLineInTheGuard) {
  const UserLineScope line({"model.cpp", 7});

  EXPECT_TRUE(guard_for_user(is_large));

  EXPECT_EQ(env->guards()[0].asked.text(), "model.cpp:7");
}

TEST_F(UserQuestion, FixesASizeForTheUsersLine) {
  const UserLineScope line({"model.cpp", 9});

  EXPECT_EQ(specialise_for_user(2 * n), 16);

  EXPECT_EQ(env->guards()[0].asked.text(), "model.cpp:9");
}

TEST_F(UserQuestion, DemandsWithTheUsersLine) {
  const UserLineScope line({"model.cpp", 11});
  const SymInt unknown = env->make_unbacked();

  check_for_user((unknown < 5).value(), "few");

  EXPECT_EQ(env->runtime_asserts()[0].asked.text(), "model.cpp:11");
}

TEST_F(UserQuestion, OfPlainNumbersNeedsNoLine) {
  EXPECT_TRUE(guard_for_user(1));
  EXPECT_FALSE(guard_for_user(0));
  EXPECT_EQ(specialise_for_user(3), 3);
  EXPECT_ERROR(check_for_user(0, "never"), "ValueError", "never");
}

TEST_F(UserQuestion, OfWhatIsUnknownTakesTheGivenAnswer) {
  const SymInt condition = (env->make_unbacked() == 1).value();

  EXPECT_FALSE(guard_for_user(condition, kOpwUnknownIsFalse));
  EXPECT_TRUE(guard_for_user(condition, kOpwUnknownIsTrue));
}

}  // namespace
}  // namespace opwright
