// The worker threads behind parallel_for: one loop at a time, shared by its caller and the workers.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "opwright/base/thread_pool.h"
#include "opwright/base/thread_state.h"

namespace opwright {

struct Loop {
  int64_t size;
  int64_t chunk;
  LoopFunction function;
  const void* context;
};

class WorkerTeam {
 public:
  WorkerTeam() = default;
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  // Runs the loop with up to `workers` threads in addition to the caller; throws the first
  // exception of a body. Returns false without running anything if the team is closed or busy with
  // another caller's loop.
  [[nodiscard]] bool try_run(const Loop& loop, int workers);

  // Joins the workers after the running loop; the next loop starts new ones.
  void dismiss();
  // Like dismiss(), and rejects all later loops.
  void close();

  [[nodiscard]] static bool is_in_body() noexcept;

 private:
  void hire(int workers);
  void send_home();
  void serve(uint64_t seen);
  [[nodiscard]] uint64_t wait_for_loop(uint64_t seen);
  void wake(int64_t wanted);

  [[nodiscard]] bool try_enter() noexcept;
  void leave();
  void wait_until_empty();
  void take_chunks();

  std::mutex caller_;  // held by the thread whose loop runs, and while workers come or go
  std::vector<std::thread> workers_;
  bool is_closed_ = false;

  // The loop. Written while no worker is inside: `inside_` publishes it and says when it may
  // change.
  Loop loop_ = {};
  ThreadState state_ = {};
  int64_t num_chunks_ = 0;
  int caller_cpu_ = -1;
  std::exception_ptr error_;

  alignas(64) std::atomic<int64_t> next_chunk_ = 0;
  std::atomic<bool> has_error_ = false;
  alignas(64) std::atomic<uint32_t> inside_ =
      0;  // workers in the loop; the top bit: more may enter
  alignas(64) std::atomic<uint64_t> loops_begun_ = 0;
  std::atomic<int> sleepers_ = 0;
  std::atomic<bool> must_stop_ = false;

  std::mutex mutex_;  // for the two conditions
  std::condition_variable loop_begun_;
  std::condition_variable loop_left_;
};

}  // namespace opwright
