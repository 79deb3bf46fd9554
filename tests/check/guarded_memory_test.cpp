// Covers: src/check/memory/*.
#include "opwright/check/memory/guarded_memory.h"

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "opwright/check/memory/fault_catcher.h"
#include "opwright/check/memory/forked_run.h"
#include "opwright/functions.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

Tensor range(int64_t count) {
  const Tensor made = empty({count}, DType::Float32);
  for (int64_t i = 0; i < count; ++i) made.mutable_data<float>()[i] = static_cast<float>(i);
  return made;
}

GuardedMemory guard(const Tensor& tensor, GuardPattern pattern = GuardPattern::High,
                    ProtectedEnd end = ProtectedEnd::Last) {
  return {{&tensor, 1}, GuardPatterns::all(pattern), end};
}

TEST(GuardedMemory, HasTheSameElements) {
  const Tensor x = make_view(range(12), {{2, 3}}, {{1, 2}}, 4);

  const GuardedMemory memory = guard(x);

  const Tensor& copy = memory.tensors()[0];
  EXPECT_TRUE(std::ranges::equal(copy.sizes(), x.sizes()));
  EXPECT_TRUE(std::ranges::equal(copy.strides(), x.strides()));
  EXPECT_TRUE(equal(copy, x));
  EXPECT_NE(copy.data(), x.data());
}

TEST(GuardedMemory, FillsWhatIsNoElementWithThePattern) {
  const Tensor x = make_view(range(8), {{2}}, {{3}}, 2);  // elements 2 and 5

  const GuardedMemory memory = guard(x, GuardPattern::Low);

  const float* data = memory.tensors()[0].data<float>();
  EXPECT_EQ(data[0], 2);
  EXPECT_EQ(data[1], -3e9F);
  EXPECT_EQ(data[3], 5);
  EXPECT_EQ(data[5], -3e9F);
  EXPECT_EQ(data[-100], -3e9F);
}

TEST(GuardedMemory, HasANanThatSpreads) {
  const GuardedMemory memory = guard(range(3), GuardPattern::Spreading);

  EXPECT_TRUE(std::isnan(memory.tensors()[0].data<float>()[-1]));
}

TEST(GuardedMemory, TellsWhatWasWrittenAfterTheLastElement) {
  const GuardedMemory memory = guard(range(3), GuardPattern::High, ProtectedEnd::First);
  ASSERT_EQ(memory.find_damage(), std::nullopt);

  memory.tensors()[0].mutable_data<float>()[4] = 1;

  const auto damage = memory.find_damage();
  ASSERT_TRUE(damage);
  EXPECT_EQ(damage->nearest.zone, GuardZone::After);
  EXPECT_EQ(damage->nearest.distance, 4u);
  EXPECT_GT(damage->bytes, 0u);
}

TEST(GuardedMemory, TellsWhatWasWrittenBetweenTheElements) {
  const GuardedMemory memory = guard(make_view(range(8), {{4}}, {{2}}, 0));

  memory.tensors()[0].mutable_data<float>()[1] = 7;

  EXPECT_EQ(memory.find_damage()->nearest.zone, GuardZone::Between);
}

TEST(GuardedMemory, ProtectsWhatFollowsTheLastByte) {
  const GuardedMemory memory = guard(range(3));
  const auto* end = reinterpret_cast<const std::byte*>(memory.tensors()[0].data<float>() + 3);

  EXPECT_EQ(memory.find_protected(end - 1), std::nullopt);
  EXPECT_EQ(memory.find_protected(end)->distance, 0u);
  EXPECT_EQ(memory.find_protected(end + 8)->distance, 8u);
  EXPECT_EQ(memory.find_protected(end)->zone, GuardZone::After);
}

TEST(GuardedMemory, ProtectsWhatPrecedesTheFirstByte) {
  const GuardedMemory memory = guard(range(3), GuardPattern::High, ProtectedEnd::First);
  const auto* begin = reinterpret_cast<const std::byte*>(memory.tensors()[0].data<float>());

  EXPECT_EQ(memory.find_protected(begin - 1)->zone, GuardZone::Before);
  EXPECT_EQ(memory.find_protected(begin - 1)->distance, 0u);
}

TEST(GuardedMemory, KeepsTensorsOnOneStorageTogether) {
  const Tensor base = range(6);
  const std::array together{make_view(base, {{2}}, {{1}}, 0), make_view(base, {{2}}, {{1}}, 3)};

  const GuardedMemory memory(together, GuardPatterns::all(GuardPattern::High), ProtectedEnd::Last);

  const float* first = memory.tensors()[0].data<float>();
  EXPECT_EQ(memory.tensors()[1].data<float>(), first + 3);
  EXPECT_EQ(first[2], 1.5e10F);
  EXPECT_EQ(first[4], 4);
  EXPECT_EQ(first[5], 1.5e10F);
}

TEST(GuardedMemory, OutlivesItsObjectInATensor) {
  const Tensor kept = guard(range(3)).tensors()[0];

  EXPECT_EQ(kept.data<float>()[2], 2);
}

// In a child: leaving a kernel by a signal makes the process unreliable.
TEST(FaultCatcher, TellsAReadOfAProtectedPageFromAWrite) {
  const GuardedMemory memory = guard(range(3));
  const auto is_protected = [&](const void* address) {
    return memory.find_protected(address).has_value();
  };
  volatile float* past = memory.tensors()[0].mutable_data<float>() + 3;

  const auto answers = run_forked(2, [&](size_t i) -> std::string {
    const auto fault = catch_fault(is_protected, [&] {
      if (i == 0) {
        (void)*past;
      } else {
        *past = 1;
      }
    });
    if (!fault || fault->address != past) return "nothing";
    return fault->is_write ? "write" : "read";
  });

  EXPECT_EQ(answers[0]->text, "read");
  EXPECT_EQ(answers[1]->text, "write");
}

TEST(FaultCatcher, LeavesOtherFaultsToTheProcess) {
  const auto answers = run_forked(1, [](size_t) -> std::string {
    const auto fault = catch_fault([](const void*) { return false; },
                                   [] { (void)*reinterpret_cast<volatile char*>(0x1230); });
    return fault ? "caught" : "nothing";
  });

  EXPECT_EQ(answers[0]->signal, 11);
}

}  // namespace
}  // namespace opwright
