// The environment variable is read once in a process, so each case runs in the child of a death
// test.
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"

namespace opwright {
namespace {

void report_num_threads(const char* setting) {
  setenv("OPWRIGHT_NUM_THREADS", setting, 1);
  try {
    std::fprintf(stderr, "threads: %d\n", num_threads());
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.kind(), error.text());
  }
  std::_Exit(0);
}

class NumThreadsDeathTest : public ::testing::Test {
 protected:
  NumThreadsDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(NumThreadsDeathTest, AreReadFromTheEnvironment) {
  EXPECT_EXIT(report_num_threads("3"), ::testing::ExitedWithCode(0), "threads: 3");
}

TEST_F(NumThreadsDeathTest, RefuseAnEnvironmentThatIsNoNumber) {
  EXPECT_EXIT(report_num_threads("many"), ::testing::ExitedWithCode(0),
              "ValueError: OPWRIGHT_NUM_THREADS must be an integer from 1 to 4096, got 'many'");
}

TEST_F(NumThreadsDeathTest, FollowTheHardwareWhenNothingIsSet) {
  EXPECT_EXIT(report_num_threads(""), ::testing::ExitedWithCode(0), "threads: [1-9]");
}

}  // namespace
}  // namespace opwright
