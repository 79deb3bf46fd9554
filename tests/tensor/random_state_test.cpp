#include "opwright/tensor/random_state.h"

#include <algorithm>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/tensor/factory.h"
#include "tensor/tensors.h"

namespace opwright {
namespace {

using testing::tensor_of;

std::vector<uint8_t> bytes_of(const Tensor& state) {
  return {state.data<uint8_t>(), state.data<uint8_t>() + state.numel()};
}

TEST(RandomState, ReservesWholeGroupsOneAfterAnother) {
  RandomState state(kCpu, 7);

  EXPECT_EQ(state.reserve(1).first, 0U);
  EXPECT_EQ(state.reserve(17).first, 16U);
  EXPECT_EQ(state.reserve(16).first, 48U);
  EXPECT_EQ(state.reserve(0).first, 64U);
  EXPECT_EQ(state.reserve(0).seed, 7U);
}

TEST(RandomState, BeginsAnewWithASeed) {
  RandomState state(kCpu);
  EXPECT_EQ(state.seed(), kDefaultSeed);
  (void)state.reserve(100);

  state.set_seed(~uint64_t{0});

  EXPECT_EQ(state.seed(), ~uint64_t{0});
  EXPECT_EQ(state.reserve(1).first, 0U);
}

TEST(RandomState, IsSeedAndCounterInLittleEndianBytes) {
  RandomState state(kCpu, 0x0102030405060708);
  (void)state.reserve(300);

  EXPECT_EQ(bytes_of(state.state()),
            (std::vector<uint8_t>{8, 7, 6, 5, 4, 3, 2, 1, 0x30, 1, 0, 0, 0, 0, 0, 0}));
}

TEST(RandomState, GoesOnWhereItsStateWasTaken) {
  RandomState state(kCpu, 3);
  (void)state.reserve(20);
  const Tensor saved = state.state();
  (void)state.reserve(500);
  RandomState other(kCpu, 9);

  other.set_state(saved);

  EXPECT_EQ(other.seed(), 3U);
  EXPECT_EQ(other.reserve(1).first, 32U);
}

TEST(RandomState, RefusesWhatIsNoState) {
  RandomState state(kCpu);

  EXPECT_ERROR_CONTAINS(state.set_state(testing::range({16})), "TypeError",
                        "set_state: the state of a generator is a uint8 tensor on the cpu");
  EXPECT_ERROR_CONTAINS(state.set_state(tensor_of<uint8_t>({2}, {1, 2})), "ValueError",
                        "set_state: the state of a generator has 16 bytes");
  EXPECT_ERROR_CONTAINS(
      state.set_state(tensor_of<uint8_t>({16}, std::vector<uint8_t>(16, uint8_t{1}))), "ValueError",
      "set_state: these bytes are not the state of a generator; use the result of get_state");
}

TEST(RandomState, GivesNoCounterToTwoThreads) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 2000;
  RandomState state(kCpu);
  std::vector<std::vector<uint64_t>> firsts(kThreads);
  std::vector<std::thread> threads;
  for (auto& mine : firsts) {
    threads.emplace_back([&state, &mine] {
      for (int i = 0; i < kCalls; ++i) mine.push_back(state.reserve(16).first);
    });
  }
  for (std::thread& thread : threads) thread.join();

  std::vector<uint64_t> all;
  for (const auto& mine : firsts) all.insert(all.end(), mine.begin(), mine.end());
  std::sort(all.begin(), all.end());

  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  EXPECT_EQ(all.back(), 16U * (kThreads * kCalls - 1));
}

TEST(DefaultGenerator, IsOneForADevice) {
  EXPECT_EQ(&default_generator(kCpu), &default_generator(Device(kOpwDeviceCpu, 0)));

  seed_default_generators(5);

  EXPECT_EQ(default_generator(kCpu).seed(), 5U);
}

TEST(DefaultGenerator, IsReplacedOnOneThreadForTheLengthOfAScope) {
  RandomState own(kCpu, 3);
  RandomState& usual = default_generator(kCpu);
  {
    const DefaultGeneratorScope scope(own);
    EXPECT_EQ(&random_state("rand", std::nullopt, kCpu), &own);
  }

  EXPECT_EQ(&default_generator(kCpu), &usual);
}

TEST(Generator, IsAnObjectOfTheCallingConvention) {
  const Generator generator = make_generator(kCpu);
  const Generator second = generator;

  EXPECT_STREQ(generator.get()->table->type_name, "Generator");
  EXPECT_EQ(generator.get()->table->equal(generator.get(), second.get()), 1);
  char text[64];
  EXPECT_EQ(generator.get()->table->text(generator.get(), text, sizeof text), 23U);
  EXPECT_STREQ(text, "Generator(device='cpu')");
}

TEST(Generator, OfAnotherDeviceIsRefused) {
  const Generator generator = make_generator(Device(kOpwDeviceMeta));

  EXPECT_ERROR(random_state("rand", generator, kCpu), "RuntimeError",
               "rand: generator is one of meta, but the numbers are for cpu");
}

}  // namespace
}  // namespace opwright
