#include "opwright/grad_mode.h"

#include <thread>

#include <gtest/gtest.h>

namespace opwright {
namespace {

TEST(GradMode, IsOnAtFirst) {
  EXPECT_TRUE(is_grad_enabled());
  EXPECT_FALSE(is_inference_mode_enabled());
}

TEST(GradMode, IsSwitchedByNestedScopes) {
  const NoGradScope no_grad;
  EXPECT_FALSE(is_grad_enabled());
  {
    const EnableGradScope enable_grad;
    EXPECT_TRUE(is_grad_enabled());
  }
  EXPECT_FALSE(is_grad_enabled());
}

TEST(GradMode, IsThatOfTheThread) {
  const NoGradScope no_grad;
  std::thread([] { EXPECT_TRUE(is_grad_enabled()); }).join();
}

TEST(InferenceMode, TurnsRecordingOff) {
  {
    const InferenceScope inference;
    EXPECT_TRUE(is_inference_mode_enabled());
    EXPECT_FALSE(is_grad_enabled());
  }
  EXPECT_FALSE(is_inference_mode_enabled());
  EXPECT_TRUE(is_grad_enabled());
}

TEST(InferenceMode, IsLeftByAScopeOfFalse) {
  const InferenceScope inference;
  const InferenceScope none(false);
  EXPECT_FALSE(is_inference_mode_enabled());
  EXPECT_TRUE(is_grad_enabled());
}

}  // namespace
}  // namespace opwright
