// The process's worker team: its size, and its lifetime (first use, fork, exit).
#include "opwright/base/thread_pool.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "opwright/base/worker_team.h"
#include "opwright/error.h"

namespace opwright {
namespace {

std::atomic<int> thread_count = 0;  // 0: not determined yet

// The team of this process; null before the first loop. Never deleted: a thread that is still
// running while the process exits may hold it, and in the child of a fork its threads are gone and
// its locks are in an unknown state.
std::atomic<WorkerTeam*> current_team = nullptr;

constinit WaitHooks installed_hooks;

int default_num_threads() {
  if (const char* text = std::getenv("OPWRIGHT_NUM_THREADS"); text && *text) {
    char* end = nullptr;
    const long count = std::strtol(text, &end, 10);
    OPWRIGHT_CHECK_VALUE(*end == '\0' && count >= 1 && count <= 4096,
                         "OPWRIGHT_NUM_THREADS must be an integer from 1 to 4096, got '", text,
                         "'");
    return static_cast<int>(count);
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Joins the workers when the process exits.
struct TeamCloser {
  ~TeamCloser() {
    WorkerTeam* team = current_team.load(std::memory_order_acquire);
    if (team && !is_in_parallel_body()) team->close();
  }
};

WorkerTeam& team() {
  static TeamCloser closer;
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { current_team.store(nullptr); });
  (void)closer;
  (void)registered;
  WorkerTeam* found = current_team.load(std::memory_order_acquire);
  if (found) [[likely]]
    return *found;
  auto* fresh = new WorkerTeam;
  if (current_team.compare_exchange_strong(found, fresh, std::memory_order_acq_rel)) return *fresh;
  delete fresh;  // another thread was first; this one has no workers yet
  return *found;
}

}  // namespace

bool is_in_parallel_body() noexcept { return WorkerTeam::is_in_body(); }

void set_wait_hooks(const WaitHooks& hooks) { installed_hooks = hooks; }
const WaitHooks& wait_hooks() noexcept { return installed_hooks; }

int num_threads() {
  int count = thread_count.load(std::memory_order_relaxed);
  if (count == 0) [[unlikely]] {
    const int fallback = default_num_threads();
    // A concurrent set_num_threads() of another thread wins.
    if (thread_count.compare_exchange_strong(count, fallback, std::memory_order_relaxed))
      count = fallback;
  }
  return count;
}

void set_num_threads(int count) {
  OPWRIGHT_CHECK_VALUE(count >= 1,
                       "set_num_threads: the number of threads must be at least 1, got ", count);
  OPWRIGHT_CHECK(!is_in_parallel_body(),
                 "set_num_threads: cannot change the threads inside a parallel loop");
  if (thread_count.exchange(count, std::memory_order_relaxed) == count) return;
  if (WorkerTeam* team = current_team.load(std::memory_order_acquire)) team->dismiss();
}

void run_loop(int64_t size, int64_t grain, LoopFunction function, const void* context) {
  constexpr int64_t kChunksPerThread = 4;  // a slow thread delays the end by a quarter of its share
  const int threads = is_in_parallel_body() ? 1 : num_threads();
  if (threads > 1 && size > grain) {
    const int64_t pieces = threads * kChunksPerThread;
    const int64_t chunk =
        std::max({grain, size / pieces + (size % pieces != 0 ? 1 : 0), int64_t{1}});
    if (team().try_run({size, chunk, function, context}, threads - 1)) return;
  }
  function(context, 0, size);
}

}  // namespace opwright
