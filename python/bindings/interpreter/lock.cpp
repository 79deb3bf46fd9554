#include "bindings/interpreter/lock.h"

#include <unistd.h>

#include "opwright/base/thread_pool.h"
#include "opwright/check/memory/forked_run.h"
#include "opwright/dispatch/arguments.h"

namespace opwright::python {

std::atomic<bool> queue_is_filled{false};
constinit thread_local CallFrame* innermost_call = nullptr;

namespace {

// Pushed by any thread, drained at once under the GIL. Not guarded by a mutex: a mutex that another
// thread held during a fork would never be released in the child.
struct Dead {
  PyObject* object;    // a reference, or null
  TensorImpl* tensor;  // a count, or null
  TapeNode* tape;      // a count, or null
  Dead* next;
};
std::atomic<Dead*> dead{nullptr};

int drain_from_interpreter(void* /*unused*/) {
  drain_queue_slow();
  return 0;
}

bool interpreter_has_ended() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
  return !Py_IsInitialized() || Py_IsFinalizing();
#else
  return !Py_IsInitialized() || _Py_IsFinalizing();
#endif
}

void push_dropped(PyObject* object, TensorImpl* tensor, TapeNode* tape) noexcept {
  auto* node = new (std::nothrow) Dead{object, tensor, tape, dead.load(std::memory_order_relaxed)};
  if (!node) return;  // leak instead of crashing
  while (!dead.compare_exchange_weak(node->next, node, std::memory_order_release)) {
  }
  // Pending calls run on the main thread only; operator calls of any thread also drain.
  if (!queue_is_filled.exchange(true)) Py_AddPendingCall(drain_from_interpreter, nullptr);
}

// Members are destroyed in reverse order: the GIL is back before the counts drop.
struct Waiting {
  HoldCallsScope held;
  UnlockScope unlocked;
};

void* give_lock_before_wait() {
  return interpreter_has_ended() || !holds_lock() ? nullptr : new Waiting;
}

void take_lock_after_wait(void* waiting) { delete static_cast<Waiting*>(waiting); }

// Between the two calls in the parent this thread does nothing else.
constinit thread_local PyGILState_STATE state_before_fork{};

void prepare_fork() {
  state_before_fork = take_lock();
  PyOS_BeforeFork();
}

void end_fork_in_parent() {
  PyOS_AfterFork_Parent();
  PyGILState_Release(state_before_fork);
}

}  // namespace

void SleepAtExitScope::sleep_for_ever() noexcept {
  for (;;) pause();
}

PyGILState_STATE take_lock() {
  SleepAtExitScope scope;
  const PyGILState_STATE state = PyGILState_Ensure();
  scope.leave();
  return state;
}

void take_lock_back(PyThreadState* state) {
  SleepAtExitScope scope;
  PyEval_RestoreThread(state);
  scope.leave();
}

void drop_reference(PyObject* object) noexcept {
  if (interpreter_has_ended()) return;
  if (holds_lock()) return Py_DECREF(object);
  push_dropped(object, nullptr, nullptr);
}

void queue_count(TensorImpl* tensor) noexcept {
  if (!interpreter_has_ended()) push_dropped(nullptr, tensor, nullptr);
}

void queue_node(TapeNode* node) noexcept {
  if (!interpreter_has_ended()) push_dropped(nullptr, nullptr, node);
}

void drain_queue_slow() noexcept {
  queue_is_filled.store(false);
  for (Dead* each = dead.exchange(nullptr, std::memory_order_acquire); each;) {
    if (each->object) Py_DECREF(each->object);
    if (each->tensor) release_tensor(each->tensor);
    if (each->tape) each->tape->release();
    delete std::exchange(each, each->next);
  }
}

HoldCallsScope::HoldCallsScope() : innermost_(innermost_call) {
  for (const CallFrame* frame = innermost_; frame; frame = frame->outer) {
    for (uint32_t i = 0; i < frame->num_values; ++i) {
      visit_tensors(frame->values[i], [](OpwTensor* tensor) { (void)retain_tensor(tensor); });
    }
  }
}

HoldCallsScope::~HoldCallsScope() {
  for (const CallFrame* frame = innermost_; frame; frame = frame->outer) {
    for (uint32_t i = 0; i < frame->num_values; ++i) {
      visit_tensors(frame->values[i], [](OpwTensor* tensor) { release_tensor(tensor); });
    }
  }
}

void install_wait_hooks() { set_wait_hooks({&give_lock_before_wait, &take_lock_after_wait}); }

void install_fork_hooks() {
  set_fork_table({&prepare_fork, &end_fork_in_parent, &PyOS_AfterFork_Child});
}

}  // namespace opwright::python
