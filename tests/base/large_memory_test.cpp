#include "opwright/base/large_memory.h"

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/base/block_cache.h"

namespace opwright {
namespace {

TEST(LargeMemory, IsAlignedTo64BytesForEverySize) {
  for (size_t bytes : {1, 1000, 65536, 65537, 1000003}) {
    void* memory = allocate_large_memory(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
    std::memset(memory, 0xff, bytes);
    free_large_memory(memory, bytes);
  }
}

#ifndef OPWRIGHT_POISONS_BLOCKS  // ASan caches nothing, and aborts when out of memory
TEST(LargeMemory, OfAboutTheSameSizeIsUsedAgain) {
  void* first = allocate_large_memory(1 << 20);
  free_large_memory(first, 1 << 20);

  void* other = allocate_large_memory(2 << 20);
  void* same = allocate_large_memory((1 << 20) - 1000);

  EXPECT_EQ(same, first);
  EXPECT_NE(other, first);
  free_large_memory(other, 2 << 20);
  free_large_memory(same, (1 << 20) - 1000);
}

TEST(LargeMemory, IsKeptUpToABound) {
  release_large_memory();
  constexpr size_t kEach = size_t{8} << 20;
  std::vector<void*> all(2 * kMostLargeMemoryKept / kEach);
  for (void*& memory : all) memory = allocate_large_memory(kEach);
  for (void* memory : all) free_large_memory(memory, kEach);

  EXPECT_EQ(release_large_memory(), kMostLargeMemoryKept);
  EXPECT_EQ(release_large_memory(), 0u);
}

#ifndef __SANITIZE_THREAD__  // which aborts when out of memory
TEST(LargeMemory, IsNullWhenThereIsNone) {
  EXPECT_EQ(allocate_large_memory(size_t{1} << 46), nullptr);
}
#endif

#endif

TEST(LargeMemory, MayBeFreedOnAnyThread) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([i] {
      for (size_t bytes = 100000; bytes < 200000; bytes += 1000) {
        void* memory = allocate_large_memory(bytes + i);
        std::memset(memory, i, bytes);
        free_large_memory(memory, bytes + i);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace opwright
