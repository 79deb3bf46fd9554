// Tensors over several threads.
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"
#include "tensor/tensors.h"

namespace opwright {
namespace {

using testing::list;
using testing::range;

constexpr int kTestThreads = 4;
constexpr int kRounds = 2000;

// Runs `body` on each thread and returns how many objects they created but did not free, in total.
template <class Body>
LiveCounts run_threads(const Body& body) {
  std::vector<LiveCounts> counts(kTestThreads);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kTestThreads; ++i) {
    threads.emplace_back([&, i] {
      body();
      counts[i] = live_counts();
    });
  }
  for (std::thread& thread : threads) thread.join();
  LiveCounts sum{};
  for (const LiveCounts& count : counts) {
    sum.tensors += count.tensors;
    sum.storages += count.storages;
  }
  return sum;
}

TEST(Threads, MayCopyAndDropHandlesOfOneTensor) {
  const Tensor shared = range({8});

  const LiveCounts sum = run_threads([&] {
    for (int i = 0; i < kRounds; ++i) {
      const Tensor copy = shared;
      const Tensor view = make_view(copy, list({2}), list({1}), 4);
      EXPECT_EQ(view.data<float>()[0], 4.0F);
    }
  });

  EXPECT_EQ(sum, LiveCounts{});
  EXPECT_EQ(shared.get()->count, 1U);
  EXPECT_EQ(storage_of(shared).count.load(), 1U);
}

TEST(Threads, MayDropTheLastHandleAnywhere) {
  const LiveCounts before = live_counts();
  LiveCounts sum{};
  for (int i = 0; i < 50; ++i) {
    Tensor last = range({300});  // its memory is not in the block
    std::vector<Tensor> handles(kTestThreads, last);
    std::atomic<size_t> next = 0;
    last = Tensor();
    const LiveCounts freed = run_threads([&] { handles[next.fetch_add(1)] = Tensor(); });
    sum.tensors += freed.tensors;
    sum.storages += freed.storages;
  }
  EXPECT_EQ(live_counts().tensors - before.tensors + sum.tensors, 0);
  EXPECT_EQ(live_counts().storages - before.storages + sum.storages, 0);
}

TEST(Threads, CountEveryWriteOfWritersThatTakeTurns) {
  const Tensor shared = range({8});
  std::mutex turn;

  run_threads([&] {
    for (int i = 0; i < kRounds; ++i) {
      const std::lock_guard lock(turn);
      storage_of(shared).raise_version();
    }
  });

  EXPECT_EQ(version_of(shared), static_cast<uint64_t>(kTestThreads) * kRounds);
}

TEST(Threads, GetTheSameBitForADevice) {
  std::vector<uint32_t> bits(kTestThreads);
  std::atomic<size_t> next = 0;

  run_threads([&] { bits[next.fetch_add(1)] = device_bit(kOpwDeviceVulkan); });

  EXPECT_EQ(bits, std::vector<uint32_t>(kTestThreads, bits[0]));
}

}  // namespace
}  // namespace opwright
