// Covers: src/base/worker_team.
#include "opwright/base/thread_pool.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "base/stand_ins.h"
#include "opwright/base/thread_state.h"

// Read by LeakSanitizer: in a forked child the stacks of the parent's threads are not roots.
static bool is_forked_child = false;
extern "C" [[gnu::visibility("default")]] int __lsan_is_turned_off() {
  return is_forked_child ? 1 : 0;
}

namespace opwright {

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool kHasThreadSanitizer = true;
#else
constexpr bool kHasThreadSanitizer = false;
#endif

// Sets the number of threads for a test.
class ThreadPool : public ::testing::Test {
 protected:
  ThreadPool() { set_num_threads(4); }
};

int64_t sum_below(int64_t size, int64_t grain) {
  std::atomic<int64_t> sum = 0;
  parallel_for(size, grain, [&](int64_t begin, int64_t end) {
    int64_t part = 0;
    for (int64_t i = begin; i < end; ++i) part += i;
    sum += part;
  });
  return sum;
}

// Waits until `count` reaches `wanted`, or a long time has passed.
bool reaches(const std::atomic<int>& count, int wanted) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (count < wanted) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST_F(ThreadPool, CoversEveryIndexOnce) {
  for (const int64_t size : {1, 2, 7, 100, 1001, 12345}) {
    for (const int64_t grain : {0, 1, 3, 100}) {
      std::vector<int> visits(static_cast<size_t>(size));
      parallel_for(size, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
      });
      EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), int64_t{0}), size);
      EXPECT_EQ(*std::min_element(visits.begin(), visits.end()), 1);
    }
  }
}

TEST_F(ThreadPool, DoesNothingForAnEmptyLoop) {
  parallel_for(0, 1, [](int64_t, int64_t) { FAIL(); });
  parallel_for(-3, 1, [](int64_t, int64_t) { FAIL(); });
}

TEST_F(ThreadPool, KeepsChunksAtLeastAsLongAsTheGrain) {
  std::mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> chunks;
  parallel_for(1000, 300, [&](int64_t begin, int64_t end) {
    const std::lock_guard lock(mutex);
    chunks.emplace_back(begin, end);
  });
  std::sort(chunks.begin(), chunks.end());
  EXPECT_EQ(chunks, (std::vector<std::pair<int64_t, int64_t>>{
                        {0, 300}, {300, 600}, {600, 900}, {900, 1000}}));
}

TEST_F(ThreadPool, RunsOnTheCallerInOneCallWhenTheGrainCoversTheLoop) {
  int calls = 0;
  parallel_for(10, 10, [&](int64_t begin, int64_t end) {
    ++calls;
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 10);
  });
  EXPECT_EQ(calls, 1);
}

TEST_F(ThreadPool, RunsOnTheCallerInOneCallWithOneThread) {
  set_num_threads(1);
  const std::thread::id caller = std::this_thread::get_id();
  int calls = 0;
  parallel_for(1000, 1, [&](int64_t, int64_t) {
    ++calls;
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
  EXPECT_EQ(calls, 1);
}

TEST_F(ThreadPool, WorksOnSeveralThreadsAtATime) {
  std::atomic<int> running = 0;
  parallel_for(4, 1, [&](int64_t, int64_t) {
    ++running;
    EXPECT_TRUE(reaches(running, 4));
  });
  EXPECT_EQ(running, 4);
}

TEST_F(ThreadPool, RunsANestedLoopInline) {
  EXPECT_FALSE(is_in_parallel_body());
  std::atomic<int64_t> sum = 0;
  parallel_for(100, 1, [&](int64_t begin, int64_t end) {
    EXPECT_TRUE(is_in_parallel_body());
    const std::thread::id mine = std::this_thread::get_id();
    for (int64_t i = begin; i < end; ++i) {
      parallel_for(10, 1, [&](int64_t inner_begin, int64_t inner_end) {
        EXPECT_EQ(std::this_thread::get_id(), mine);
        sum += inner_end - inner_begin;
      });
    }
  });
  EXPECT_EQ(sum, 1000);
  EXPECT_FALSE(is_in_parallel_body());
}

TEST_F(ThreadPool, RethrowsTheFirstErrorOfAWorkerInTheCaller) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> workers = 0;
  EXPECT_ERROR(parallel_for(1000, 1,
                            [&](int64_t, int64_t) {
                              if (std::this_thread::get_id() == caller) {
                                EXPECT_TRUE(reaches(workers, 1));  // leave the error to a worker
                              } else {
                                ++workers;
                                throw Error("ValueError", "from a worker");
                              }
                            }),
               "ValueError", "from a worker");
  EXPECT_EQ(sum_below(1000, 1), 499500);
}

TEST_F(ThreadPool, RethrowsAnyException) {
  EXPECT_THROW(parallel_for(100, 1, [](int64_t, int64_t) { throw std::out_of_range("far"); }),
               std::out_of_range);
}

TEST_F(ThreadPool, SkipsChunksThatHadNotBegunAtAnError) {
  std::atomic<int> begun = 0;
  EXPECT_THROW(parallel_for(16, 1,
                            [&](int64_t, int64_t) {
                              ++begun;
                              reaches(begun, 4);  // all four threads are inside
                              throw Error("ValueError", "bad");
                            }),
               Error);
  EXPECT_LT(begun, 16);
}

TEST_F(ThreadPool, CarriesTheThreadStateOfTheCaller) {
  Interpreter interpreter;
  thread_state().set_current(&interpreter);
  thread_state().set_grad_enabled(false);
  std::atomic<int> seen = 0;
  parallel_for(4, 1, [&](int64_t, int64_t) {
    EXPECT_EQ(thread_state().current, &interpreter);
    EXPECT_FALSE(thread_state().grad_is_enabled());
    ++seen;
    reaches(seen, 4);
  });
  thread_state().set_current(nullptr);
  thread_state().set_grad_enabled(true);

  seen = 0;
  parallel_for(4, 1, [&](int64_t, int64_t) {
    EXPECT_FALSE(thread_state().needs_attention());
    ++seen;
    reaches(seen, 4);
  });
}

TEST_F(ThreadPool, ServesEightUserThreadsAtATime) {
  std::vector<std::thread> users;
  for (int user = 0; user < 8; ++user) {
    users.emplace_back([user] {
      for (int round = 0; round < 200; ++round) {
        EXPECT_EQ(sum_below(1000 + user, 1), (1000 + user) * int64_t{999 + user} / 2);
        if (round % 50 != 0) continue;
        EXPECT_THROW(
            parallel_for(100, 1, [](int64_t, int64_t) { throw Error("ValueError", "bad"); }),
            Error);
      }
    });
  }
  for (std::thread& thread : users) thread.join();
}

TEST_F(ThreadPool, ChangesItsNumberOfThreadsWhileOthersUseIt) {
  std::atomic<bool> done = false;
  std::thread user([&] {
    while (!done) EXPECT_EQ(sum_below(1000, 1), 499500);
  });
  for (int round = 0; round < 50; ++round) {
    set_num_threads(1 + round % 4);
    EXPECT_EQ(num_threads(), 1 + round % 4);
    EXPECT_EQ(sum_below(100, 1), 4950);
  }
  done = true;
  user.join();
}

TEST_F(ThreadPool, WakesWorkersThatSleep) {
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::atomic<int> running = 0;
    parallel_for(4, 1, [&](int64_t, int64_t) {
      ++running;
      EXPECT_TRUE(reaches(running, 4));
    });
  }
}

TEST_F(ThreadPool, RefusesABadNumberOfThreads) {
  EXPECT_ERROR(set_num_threads(0), "ValueError",
               "set_num_threads: the number of threads must be at least 1, got 0");
  EXPECT_ERROR(parallel_for(4, 1, [](int64_t, int64_t) { set_num_threads(2); }), "RuntimeError",
               "set_num_threads: cannot change the threads inside a parallel loop");
}

// Runs `function` in the child of a fork; returns its exit status.
template <class Function>
int status_in_child(Function function) {
  const pid_t child = fork();
  if (child == 0) {
    is_forked_child = true;
    alarm(60);
    _exit(function());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST_F(ThreadPool, StartsAnewInTheChildOfAFork) {
  if (kHasThreadSanitizer) GTEST_SKIP() << "TSan allows no thread after a fork";
  EXPECT_EQ(sum_below(1000, 1), 499500);
  const auto child_work = [] {
    std::atomic<int> running = 0;
    std::atomic<bool> met = true;
    parallel_for(4, 1, [&](int64_t, int64_t) {
      ++running;
      if (!reaches(running, 4)) met = false;
    });
    return met && sum_below(1000, 1) == 499500 ? 0 : 1;
  };
  EXPECT_EQ(status_in_child(child_work), 0);
  EXPECT_EQ(sum_below(1000, 1), 499500);
}

TEST_F(ThreadPool, CallsTheHooksAroundAWaitForSlowWorkers) {
  static std::atomic<int> before = 0;
  static std::atomic<int> after = 0;
  static int token = 0;
  set_wait_hooks({[]() -> void* { return ++before, &token; },
                  [](void* given) { after += given == &token ? 1 : 100; }});
  set_num_threads(2);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> entered = 0;
  // The worker's chunk ends only after the caller started waiting for it.
  parallel_for(2, 1, [&](int64_t, int64_t) {
    ++entered;
    EXPECT_TRUE(reaches(entered, 2));
    const bool is_caller = std::this_thread::get_id() == caller;
    EXPECT_TRUE(is_caller || reaches(before, 1));
  });
  set_wait_hooks({});
  EXPECT_EQ(before, 1);
  EXPECT_EQ(after, 1);
}

TEST_F(ThreadPool, SurvivesAForkWhileAnotherThreadRunsALoop) {
  if (kHasThreadSanitizer) GTEST_SKIP() << "TSan allows no thread after a fork";
  std::atomic<int> inside = 0;
  std::atomic<int> may_end = 0;
  std::thread user([&] {
    parallel_for(4, 1, [&](int64_t, int64_t) {
      ++inside;
      EXPECT_TRUE(reaches(may_end, 1));
    });
  });
  EXPECT_TRUE(reaches(inside, 4));
  EXPECT_EQ(status_in_child([] { return sum_below(1000, 1) == 499500 ? 0 : 1; }), 0);
  may_end = 1;
  user.join();
}

TEST_F(ThreadPool, JoinsItsWorkersWhenTheChildExits) {
  if (kHasThreadSanitizer) GTEST_SKIP() << "TSan allows no thread after a fork";
  const auto exit_with_threads = [] {
    const bool is_right = sum_below(1000, 1) == 499500;
    std::exit(is_right ? 7 : 1);
    return 1;
  };
  EXPECT_EQ(status_in_child(exit_with_threads), 7);
}

}  // namespace
}  // namespace opwright
