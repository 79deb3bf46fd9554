// parallel_for: a loop over [0, size) in chunks, on the caller and the process's worker threads.
//
// Threads take chunks from an atomic counter, and the caller works too. Bodies run with a copy of
// the caller's ThreadState. A loop inside a body, and a loop that finds the workers busy with
// another thread's loop, runs only on its caller. Workers start at the first loop that needs them,
// are joined at exit, and are restarted in the child of a fork (which must not happen inside a
// body).
#pragma once

#include <cstdint>
#include <memory>

#include "opwright/visibility.h"

namespace opwright {

// One chunk of a loop.
using LoopFunction = void (*)(const void* context, int64_t begin, int64_t end);

// Runs `function` over [0, size) as parallel_for does; `size` > 0.
void run_loop(int64_t size, int64_t grain, LoopFunction function, const void* context);

// Calls body(begin, end) for chunks that cover [0, size), each of at least `grain` except the last.
// Makes one call, on the caller, when size <= grain. The first exception of a body is thrown here
// after all running bodies have returned; chunks that have not started are skipped.
template <class Body>
void parallel_for(int64_t size, int64_t grain, const Body& body) {
  if (size <= 0) return;
  if (size <= grain) {
    body(int64_t{0}, size);
    return;
  }
  const auto call_body = [](const void* context, int64_t begin, int64_t end) {
    (*static_cast<const Body*>(context))(begin, end);
  };
  run_loop(size, grain, call_body, std::addressof(body));
}

// The number of threads that a loop uses, including its caller: the configured number, else
// OPWRIGHT_NUM_THREADS, else the hardware's.
[[nodiscard]] OPWRIGHT_EXPORT int num_threads();

// Waits for a running loop of another thread. Throws ValueError below 1, RuntimeError inside a
// body.
OPWRIGHT_EXPORT void set_num_threads(int count);

// Whether this thread is inside the body of a loop.
[[nodiscard]] bool is_in_parallel_body() noexcept;

// Called by a caller before it sleeps until its workers are done, and after: Python releases the
// GIL, which a body on a worker may need. `after` gets the result of `before`.
struct WaitHooks {
  void* (*before)() = nullptr;
  void (*after)(void* token) = nullptr;
};
// Call once, before the first loop.
OPWRIGHT_EXPORT void set_wait_hooks(const WaitHooks& hooks);
[[nodiscard]] const WaitHooks& wait_hooks() noexcept;

}  // namespace opwright
