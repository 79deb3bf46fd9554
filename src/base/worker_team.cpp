// Publishing, joining, leaving and awaiting a loop.
#include "opwright/base/worker_team.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "opwright/base/thread_state.h"

namespace opwright {
namespace {

constexpr uint32_t kOpen = 1u << 31;

// Waking a sleeping thread takes 5 to 150 microseconds, so threads spin about as long first.
constexpr auto kSpinTime = std::chrono::microseconds(50);

constinit thread_local bool in_body = false;

struct [[nodiscard]] InBodyScope {
  InBodyScope() noexcept { in_body = true; }
  ~InBodyScope() { in_body = false; }
};

void pause_briefly() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Whether `is_done` became true while spinning.
template <class Condition>
bool spin_until(Condition is_done) {
  if (is_done()) return true;
  const auto deadline = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int i = 0; i < 32; ++i) {
      if (is_done()) return true;
      pause_briefly();
    }
  } while (std::chrono::steady_clock::now() < deadline);
  return false;
}

// Moves this thread to another CPU if it may use one. A thread is often woken on the CPU of its
// waker, and the two would share it until the system balances them, long after most loops are done.
void leave_cpu(int cpu) noexcept {
  cpu_set_t allowed;
  if (cpu < 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  cpu_set_t others = allowed;
  CPU_CLR(static_cast<size_t>(cpu), &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
  (void)sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace

bool WorkerTeam::is_in_body() noexcept { return in_body; }

bool WorkerTeam::try_run(const Loop& loop, int workers) {
  const std::unique_lock lock(caller_, std::try_to_lock);
  if (!lock || is_closed_) return false;
  hire(workers);

  loop_ = loop;
  state_ = thread_state();
  caller_cpu_ = sched_getcpu();
  num_chunks_ = (loop.size - 1) / loop.chunk + 1;
  next_chunk_.store(0, std::memory_order_relaxed);
  has_error_.store(false, std::memory_order_relaxed);
  inside_.store(kOpen, std::memory_order_release);
  wake(num_chunks_ - 1);

  take_chunks();
  wait_until_empty();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  return true;
}

void WorkerTeam::take_chunks() {
  const InBodyScope scope;
  for (;;) {
    const int64_t index = next_chunk_.fetch_add(1, std::memory_order_relaxed);
    if (index >= num_chunks_) return;
    const int64_t begin = index * loop_.chunk;
    try {
      loop_.function(loop_.context, begin, begin + std::min(loop_.chunk, loop_.size - begin));
    } catch (...) {
      if (!has_error_.exchange(true, std::memory_order_relaxed)) error_ = std::current_exception();
      next_chunk_.store(num_chunks_, std::memory_order_relaxed);
    }
  }
}

bool WorkerTeam::try_enter() noexcept {
  uint32_t inside = inside_.load(std::memory_order_relaxed);
  while (inside & kOpen) {
    if (inside_.compare_exchange_weak(inside, inside + 1, std::memory_order_acquire)) return true;
  }
  return false;
}

void WorkerTeam::leave() {
  // It was exactly 1: the loop is closed and its caller may be asleep.
  if (inside_.fetch_sub(1, std::memory_order_release) != 1) return;
  const std::lock_guard lock(mutex_);
  loop_left_.notify_one();
}

void WorkerTeam::wait_until_empty() {
  inside_.fetch_and(~kOpen, std::memory_order_acq_rel);
  const auto is_empty = [this] { return inside_.load(std::memory_order_acquire) == 0; };
  if (spin_until(is_empty)) return;
  const WaitHooks& hooks = wait_hooks();
  void* token = hooks.before ? hooks.before() : nullptr;
  {
    std::unique_lock lock(mutex_);
    loop_left_.wait(lock, is_empty);
  }
  if (hooks.after) hooks.after(token);
}

void WorkerTeam::wake(int64_t wanted) {
  // Sequentially consistent on both sides: either the sleeper sees the loop or this sees the
  // sleeper.
  loops_begun_.fetch_add(1, std::memory_order_seq_cst);
  const int asleep = sleepers_.load(std::memory_order_seq_cst);
  if (asleep == 0) return;
  {
    const std::lock_guard lock(mutex_);
  }  // a thread between its check and its sleep is asleep now
  if (wanted >= asleep)
    loop_begun_.notify_all();
  else
    for (int64_t i = 0; i < wanted; ++i) loop_begun_.notify_one();
  sched_yield();  // a thread woken on this CPU leaves it immediately
}

uint64_t WorkerTeam::wait_for_loop(uint64_t seen) {
  const auto has_begun = [&] {
    return loops_begun_.load(std::memory_order_seq_cst) != seen ||
           must_stop_.load(std::memory_order_relaxed);
  };
  if (!spin_until(has_begun)) {
    std::unique_lock lock(mutex_);
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    loop_begun_.wait(lock, has_begun);
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
  }
  return loops_begun_.load(std::memory_order_relaxed);
}

void WorkerTeam::serve(uint64_t seen) {
  pthread_setname_np(pthread_self(), "opwright-worker");
  for (;;) {
    seen = wait_for_loop(seen);
    if (must_stop_.load(std::memory_order_relaxed)) return;
    if (!try_enter()) continue;
    {
      if (sched_getcpu() == caller_cpu_) leave_cpu(caller_cpu_);
      const ThreadStateScope scope(state_);
      take_chunks();
    }
    leave();
  }
}

void WorkerTeam::hire(int workers) {
  const uint64_t seen = loops_begun_.load(std::memory_order_relaxed);
  try {
    while (workers_.size() < static_cast<size_t>(workers))
      workers_.emplace_back([this, seen] { serve(seen); });
  } catch (const std::system_error&) {
    // No more threads are available: the loop runs with those that started.
  }
}

void WorkerTeam::send_home() {
  {
    const std::lock_guard lock(mutex_);
    must_stop_.store(true, std::memory_order_relaxed);
  }
  loop_begun_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  must_stop_.store(false, std::memory_order_relaxed);
}

void WorkerTeam::dismiss() {
  const std::lock_guard lock(caller_);
  send_home();
}

void WorkerTeam::close() {
  const std::lock_guard lock(caller_);
  is_closed_ = true;
  send_home();
}

}  // namespace opwright
