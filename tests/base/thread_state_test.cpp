#include "opwright/base/thread_state.h"

#include <thread>

#include <gtest/gtest.h>

#include "base/stand_ins.h"

namespace opwright {

namespace {

TEST(ThreadState, NeedsNoAttentionAtFirst) {
  std::thread([] {
    EXPECT_FALSE(thread_state().needs_attention());
    EXPECT_EQ(thread_state().current, nullptr);
    EXPECT_TRUE(thread_state().grad_is_enabled());
  }).join();
}

TEST(ThreadState, KeepsAttentionInStepWithEachPart) {
  ThreadState state = {};
  Interpreter interpreter;
  Mode mode;

  EXPECT_EQ(state.set_current(&interpreter), nullptr);
  EXPECT_EQ(state.attention, 1u);
  EXPECT_EQ(state.set_modes(&mode), nullptr);
  EXPECT_EQ(state.attention, 1u | 2u);
  EXPECT_TRUE(state.set_grad_enabled(false));
  EXPECT_EQ(state.attention, 1u | 2u | 4u);
  EXPECT_FALSE(state.set_inference(true));
  EXPECT_EQ(state.attention, 1u | 2u | 4u | 8u);

  EXPECT_EQ(state.set_current(nullptr), &interpreter);
  EXPECT_EQ(state.set_modes(nullptr), &mode);
  EXPECT_FALSE(state.set_grad_enabled(true));
  EXPECT_TRUE(state.set_inference(false));
  EXPECT_FALSE(state.needs_attention());
}

TEST(ThreadState, SwitchesABitForTheLengthOfAScope) {
  {
    const AttentionScope outer(kAttentionMakesFakes, true);
    EXPECT_TRUE(thread_state().makes_fakes());
    {
      const AttentionScope inner(kAttentionMakesFakes, false);
      EXPECT_FALSE(thread_state().makes_fakes());
    }
    EXPECT_TRUE(thread_state().makes_fakes());
  }
  EXPECT_FALSE(thread_state().needs_attention());
}

TEST(ThreadState, AsksNoAttentionForAnInstance) {
  ThreadState state = {};
  const OpwHost host = {};
  EXPECT_EQ(state.set_instance(&host), nullptr);
  EXPECT_EQ(state.set_instance(nullptr), &host);
  EXPECT_FALSE(state.needs_attention());
}

TEST(ThreadState, BelongsToOneThread) {
  thread_state().set_grad_enabled(false);
  std::thread([] { EXPECT_TRUE(thread_state().grad_is_enabled()); }).join();
  thread_state().set_grad_enabled(true);
}

TEST(ThreadStateScope, InstallsACopyAndRestores) {
  Interpreter interpreter;
  ThreadState other = {};
  other.set_current(&interpreter);
  thread_state().set_grad_enabled(false);
  {
    const ThreadStateScope scope(other);
    EXPECT_EQ(thread_state().current, &interpreter);
    EXPECT_TRUE(thread_state().grad_is_enabled());
    thread_state().set_inference(true);
  }
  EXPECT_EQ(thread_state().current, nullptr);
  EXPECT_FALSE(thread_state().set_grad_enabled(true));
  EXPECT_FALSE(other.is_inference());
}

}  // namespace
}  // namespace opwright
