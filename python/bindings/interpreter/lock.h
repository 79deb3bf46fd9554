// The GIL: who holds it, acquiring it when needed, and the queue of objects that died without it.
#pragma once

#include <atomic>
#include <cstddef>

#include <Python.h>

#include "opwright/autograd/tape.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright::python {

// Releasing the GIL costs about 60 ns, so only long calls do it. Reading or writing this much
// memory takes about ten microseconds.
inline constexpr size_t kManyBytes = 128 * 1024;

// Queries the interpreter and keeps no flag: an author's kernel may release the GIL itself.
inline bool holds_lock() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
  return PyThreadState_GetUnchecked() != nullptr;
#else
  return PyGILState_Check() != 0;
#endif
}

// Used around calls into the interpreter that may wait for the GIL. A finalizing interpreter ends
// such a thread in the middle of the call (before Python 3.14), which C++ frames do not survive. So
// the thread sleeps instead, until the process exits.
class [[nodiscard]] SleepAtExitScope {
 public:
  SleepAtExitScope() = default;
  ~SleepAtExitScope() {
    if (!is_left_) [[unlikely]]
      sleep_for_ever();
  }
  SleepAtExitScope(const SleepAtExitScope&) = delete;
  SleepAtExitScope& operator=(const SleepAtExitScope&) = delete;
  // The call returned.
  void leave() noexcept { is_left_ = true; }

 private:
  static void sleep_for_ever() noexcept;
  bool is_left_ = false;
};

// Not noexcept and not inlined into noexcept functions: the compiler would terminate the process
// before the end of the scope is reached.
[[gnu::noinline]] PyGILState_STATE take_lock();
[[gnu::noinline]] void take_lock_back(PyThreadState* state);

// Holds the GIL until the end of the scope; acquires it only if it is not held.
class [[nodiscard]] LockScope {
 public:
  LockScope() noexcept : is_mine_(!holds_lock()) {
    if (is_mine_) [[unlikely]]
      state_ = take_lock();
  }
  ~LockScope() {
    if (is_mine_) [[unlikely]]
      PyGILState_Release(state_);
  }
  LockScope(const LockScope&) = delete;
  LockScope& operator=(const LockScope&) = delete;

 private:
  bool is_mine_;
  PyGILState_STATE state_{};
};

// Releases the GIL until the end of the scope.
class [[nodiscard]] UnlockScope {
 public:
  UnlockScope() noexcept : state_(PyEval_SaveThread()) {}
  ~UnlockScope() { take_lock_back(state_); }
  UnlockScope(const UnlockScope&) = delete;
  UnlockScope& operator=(const UnlockScope&) = delete;

 private:
  PyThreadState* state_;
};

// Drops a reference now if the GIL is held, otherwise queues it. Any thread.
void drop_reference(PyObject* object) noexcept;

// Takes over a tensor's reference count that may not drop without the GIL. Any thread.
void queue_count(TensorImpl* tensor) noexcept;
void queue_node(TapeNode* node) noexcept;

// Drops what was queued; the GIL is held. Called by operator calls, and by the interpreter when it
// is idle.
void drain_queue_slow() noexcept;
extern std::atomic<bool> queue_is_filled;
inline void drain_queue() noexcept {
  if (queue_is_filled.load(std::memory_order_relaxed)) [[unlikely]]
    drain_queue_slow();
}

// The values of this thread's current operator calls, innermost first. Code that releases the GIL
// takes a reference on each of their tensors: if a count rose from 1 between two passes of the
// garbage collector, it would clear objects that are still in use.
struct CallFrame {
  const OpwValue* values;
  uint32_t num_values;
  CallFrame* outer;
};
extern constinit thread_local CallFrame* innermost_call __attribute__((tls_model("initial-exec")));

class [[nodiscard]] CallFrameScope {
 public:
  CallFrameScope(const OpwValue* values, uint32_t num_values) noexcept
      : frame_{values, num_values, innermost_call} {
    innermost_call = &frame_;
  }
  ~CallFrameScope() { innermost_call = frame_.outer; }
  CallFrameScope(const CallFrameScope&) = delete;
  CallFrameScope& operator=(const CallFrameScope&) = delete;

 private:
  CallFrame frame_;
};

// Holds a reference to every tensor that calls of this thread use, until the end of the scope.
class [[nodiscard]] HoldCallsScope {
 public:
  HoldCallsScope();
  ~HoldCallsScope();
  HoldCallsScope(const HoldCallsScope&) = delete;
  HoldCallsScope& operator=(const HoldCallsScope&) = delete;

 private:
  CallFrame* innermost_;
};

// Makes threads that wait for the core's workers release the GIL meanwhile.
void install_wait_hooks();

// Lets the interpreter prepare for processes that the core forks; the child holds the GIL.
void install_fork_hooks();

}  // namespace opwright::python
