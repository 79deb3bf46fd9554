// Covers: src/base/slab.
#include "opwright/base/block_cache.h"

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"

namespace opwright {
namespace {

TEST(BlockCache, AlignsBlocksOfEverySizeTo64Bytes) {
  for (size_t bytes = 1; bytes <= kLargestBlock; bytes += 31) {
    void* block = allocate_block(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
    std::memset(block, 0xff, bytes);
    free_block(block, bytes);
  }
}

TEST(BlockCache, HandsTheBlockFreedLastToTheNextOfItsClass) {
  free_block(allocate_block(100), 100);
  void* first = allocate_block(100);
  free_block(first, 100);

  void* other_class = allocate_block(129);
  void* same_class = allocate_block(128);
  EXPECT_EQ(same_class, first);
  EXPECT_NE(other_class, first);
  free_block(other_class, 129);
  free_block(same_class, 128);
}

TEST(BlockCache, KeepsABoundedNumberOfBlocks) {
  std::vector<void*> blocks;
  for (uint32_t i = 0; i < 3 * kBlocksKept; ++i) blocks.push_back(allocate_block(64));
  for (void* block : blocks) free_block(block, 64);
  EXPECT_EQ(this_thread_block_cache->kept[0], kBlocksKept);
}

TEST(BlockCache, TakesBlocksThatAnotherThreadMade) {
  void* block = nullptr;
  std::thread([&] { block = allocate_block(1024); }).join();
  free_block(allocate_block(1024), 1024);  // this thread has a cache

  free_block(block, 1024);
  EXPECT_EQ(allocate_block(1024), block);
  free_block(block, 1024);
}

TEST(BlockCache, FreesOnAThreadThatNeverAllocated) {
  void* block = allocate_block(64);
  std::thread([&] { free_block(block, 64); }).join();
}

TEST(BlockCache, PassesBlocksRoundBetweenThreads) {
  constexpr int kThreads = 4;
  std::vector<std::vector<void*>> handed(kThreads);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&handed, i] {
        for (void* block : handed[i]) free_block(block, 192);
        handed[i].clear();
        for (int j = 0; j < 100; ++j) handed[i].push_back(allocate_block(192));
        for (void* block : handed[i]) std::memset(block, static_cast<int>(i), 192);
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::swap(handed[0], handed[3]);
    std::swap(handed[1], handed[2]);
  }
  for (auto& blocks : handed) {
    for (void* block : blocks) free_block(block, 192);
  }
}

// Allocates and frees in its destructor, after the thread's cache was destroyed.
struct LateUser {
  void* block = nullptr;
  ~LateUser() {
    free_block(block, 64);
    free_block(allocate_block(64), 64);
  }
};

TEST(BlockCache, ServesDestructorsThatRunAfterItsEnd) {
  std::thread([] {
    static thread_local LateUser user;  // created before the cache, so destroyed after it
    user.block = nullptr;
    user.block = allocate_block(64);
  }).join();
}

TEST(BlockCache, TellsHowMuchMemoryWasAskedFor) {
  EXPECT_ERROR(throw_out_of_memory(960), "MemoryError",
               "out of memory: could not allocate 960 bytes");
}

#ifdef OPWRIGHT_POISONS_BLOCKS
TEST(BlockCacheDeathTest, LetsAsanFindAUseOfAFreedBlock) {
  auto* block = static_cast<volatile char*>(allocate_block(64));
  free_block(const_cast<char*>(block), 64);
  EXPECT_DEATH(block[0] = 1, "use-after-poison");
}
#endif

}  // namespace
}  // namespace opwright
