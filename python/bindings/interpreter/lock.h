// Python's lock: who holds it, taking it when it is needed, and the queue of what died without it.
#pragma once

#include <atomic>
#include <cstddef>

#include <Python.h>

#include "opwright/autograd/tape.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright::python {

// Releasing the lock costs about 60 ns, so only calls that take long do. Reading or writing this
// much memory takes about ten microseconds.
inline constexpr size_t kManyBytes = 128 * 1024;

// Asks the interpreter and keeps no flag: an author's kernel may release the lock by itself.
inline bool holds_lock() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
  return PyThreadState_GetUnchecked() != nullptr;
#else
  return PyGILState_Check() != 0;
#endif
}

// Around calls into the interpreter that may wait for the lock. When the interpreter ends it ends
// such a thread in the middle of the call (before Python 3.14), which C++ frames do not survive:
// the thread sleeps instead, until the process is gone.
class [[nodiscard]] SleepAtExitScope {
 public:
  SleepAtExitScope() = default;
  ~SleepAtExitScope() {
    if (!is_left_) [[unlikely]]
      sleep_for_ever();
  }
  SleepAtExitScope(const SleepAtExitScope&) = delete;
  SleepAtExitScope& operator=(const SleepAtExitScope&) = delete;
  // The call came back.
  void leave() noexcept { is_left_ = true; }

 private:
  static void sleep_for_ever() noexcept;
  bool is_left_ = false;
};

// Not noexcept and not inlined into what is: the compiler would end the process before the scope's
// end is reached.
[[gnu::noinline]] PyGILState_STATE take_lock();
[[gnu::noinline]] void take_lock_back(PyThreadState* state);

// Holds the lock until the end of the scope; takes it only when it is not held.
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

// Gives the lock away until the end of the scope.
class [[nodiscard]] UnlockScope {
 public:
  UnlockScope() noexcept : state_(PyEval_SaveThread()) {}
  ~UnlockScope() { take_lock_back(state_); }
  UnlockScope(const UnlockScope&) = delete;
  UnlockScope& operator=(const UnlockScope&) = delete;

 private:
  PyThreadState* state_;
};

// Drops a reference now when the lock is held, else queues it. Any thread.
void drop_reference(PyObject* object) noexcept;

// Takes over a count of a tensor that may not fall without the lock. Any thread.
void queue_count(TensorImpl* tensor) noexcept;
void queue_node(TapeNode* node) noexcept;

// Drops what was queued; the lock is held. Operator calls do it, and the interpreter when it is
// idle.
void drain_queue_slow() noexcept;
extern std::atomic<bool> queue_is_filled;
inline void drain_queue() noexcept {
  if (queue_is_filled.load(std::memory_order_relaxed)) [[unlikely]]
    drain_queue_slow();
}

// The values of the operator call that this thread is in; the innermost first. Whoever gives the
// lock away takes a count on each of their tensors: a count that rises from 1 between two passes of
// the collector would make it clear what is still in use.
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

// A count on every tensor that calls of this thread use, until the end of the scope.
class [[nodiscard]] HoldCallsScope {
 public:
  HoldCallsScope();
  ~HoldCallsScope();
  HoldCallsScope(const HoldCallsScope&) = delete;
  HoldCallsScope& operator=(const HoldCallsScope&) = delete;

 private:
  CallFrame* innermost_;
};

// Makes threads that wait for the core's workers give the lock away meanwhile.
void install_wait_hooks();

// Lets the interpreter prepare for children that the core makes; in one of them the lock is held.
void install_fork_hooks();

}  // namespace opwright::python
