#include "opwright/dispatch/first_use.h"

#include <gtest/gtest.h>

#include "opwright/dispatch/registry.h"

namespace opwright {
namespace {

void count(void* counter) { ++*static_cast<int*>(counter); }

// Added by a static initialiser, like the core's own blocks.
int steps_run = 0;
const bool kStepWasGiven = [] {
  at_first_use([](void* counter) { (void)Registry::get(), count(counter); }, &steps_run);
  return first_use_steps_wait.load();
}();

TEST(FirstUse, RunsAStepOnceAndLetsItUseTheRegistry) {
  EXPECT_TRUE(kStepWasGiven);

  (void)Registry::get();
  (void)Registry::get();

  EXPECT_EQ(steps_run, 1);
  EXPECT_FALSE(first_use_steps_wait);
}

TEST(FirstUse, RunsALaterStepAtOnce) {
  (void)Registry::get();
  int runs = 0;

  at_first_use(&count, &runs);

  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace opwright
