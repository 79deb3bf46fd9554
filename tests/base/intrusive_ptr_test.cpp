// Covers: src/base/counted_object.
#include "opwright/base/intrusive_ptr.h"

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace opwright {
namespace {

struct Thing : Counted<Thing> {
  explicit Thing(std::atomic<int>& alive_count) : alive(alive_count) { ++alive; }
  ~Thing() { --alive; }
  std::atomic<int>& alive;
};

// Counts by free functions.
struct Foreign {
  int count = 1;
};
void add_ref(Foreign* foreign) { ++foreign->count; }
void release(Foreign* foreign) { --foreign->count; }

struct Base : Counted<Base> {
  virtual ~Base() = default;
};
struct Derived : Base {};

TEST(IntrusivePtr, DeletesTheObjectWithTheLastHandle) {
  std::atomic<int> alive = 0;
  auto first = make_intrusive<Thing>(alive);
  auto second = first;

  first.reset();
  EXPECT_EQ(alive, 1);
  second.reset();
  EXPECT_EQ(alive, 0);
}

TEST(IntrusivePtr, MovesWithoutACount) {
  std::atomic<int> alive = 0;
  auto first = make_intrusive<Thing>(alive);
  const auto second = std::move(first);

  EXPECT_FALSE(first);
  EXPECT_TRUE(second->is_owned_once());
}

TEST(IntrusivePtr, GivesItsCountAwayAndTakesItBack) {
  std::atomic<int> alive = 0;
  Thing* raw = make_intrusive<Thing>(alive).give();
  EXPECT_EQ(alive, 1);

  const auto taken = IntrusivePtr<Thing>::take(raw);
  const auto shared = IntrusivePtr<Thing>::share(raw);
  EXPECT_EQ(taken, shared);
  EXPECT_FALSE(taken->is_owned_once());
}

TEST(IntrusivePtr, SurvivesAssignmentToItself) {
  std::atomic<int> alive = 0;
  auto pointer = make_intrusive<Thing>(alive);
  const auto& alias = pointer;

  pointer = alias;
  EXPECT_EQ(alive, 1);
}

TEST(IntrusivePtr, CountsByFreeFunctionsFoundBesideTheType) {
  Foreign foreign;
  {
    const auto pointer = IntrusivePtr<Foreign>::share(&foreign);
    EXPECT_EQ(foreign.count, 2);
  }
  EXPECT_EQ(foreign.count, 1);
}

TEST(IntrusivePtr, ConvertsToAPointerToTheBase) {
  const IntrusivePtr<Base> base = make_intrusive<Derived>();
  EXPECT_TRUE(base->is_owned_once());
}

TEST(IntrusivePtr, DeletesOnceWhenManyThreadsRelease) {
  std::atomic<int> alive = 0;
  auto pointer = make_intrusive<Thing>(alive);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([copy = pointer] {
      for (int round = 0; round < 1000; ++round) const auto another = copy;
    });
  }
  pointer.reset();
  for (std::thread& thread : threads) thread.join();
  threads.clear();

  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace opwright
