// Backward passes that are called inside of one another, deeper than a thread's stack and Python's
// recursion limit allow.
#pragma once

#include <cstdint>

namespace opwright::python {

// How many backward passes run on this thread, nested.
inline constinit thread_local uint32_t num_nested_backwards = 0;
inline constexpr uint32_t kMostNestedBackwards = 60;

// Runs `function(context)` on another thread, with this thread's modes, and waits for it. The GIL
// is held.
void run_on_another_thread(void (*function)(const void* context), const void* context);

// Runs a backward pass; one that is nested in too many others, on another thread.
template <class Function>
void run_nested(const Function& backward) {
  struct Depth {
    Depth() noexcept { ++num_nested_backwards; }
    ~Depth() { --num_nested_backwards; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
  };
  const auto run = [](const void* context) {
    const Depth depth;
    (*static_cast<const Function*>(context))();
  };
  if (num_nested_backwards < kMostNestedBackwards) [[likely]]
    return run(&backward);
  run_on_another_thread(run, &backward);
}

}  // namespace opwright::python
