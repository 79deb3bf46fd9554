// The GIL, for code that may run on any thread.
//
// Rules and short kernels run with it held; the functions of the tables acquire it if needed. Loops
// that wait for other threads release it first, so that none of those waits for it.
#pragma once

#include <Python.h>

namespace opwright::torch_bridge {

// Holds the GIL until the end of the scope.
class [[nodiscard]] LockScope {
 public:
  LockScope() : is_held_(PyGILState_Check() == 1) {
    if (!is_held_) state_ = PyGILState_Ensure();
  }
  ~LockScope() {
    if (!is_held_) PyGILState_Release(state_);
  }
  LockScope(const LockScope&) = delete;
  LockScope& operator=(const LockScope&) = delete;

 private:
  bool is_held_;
  PyGILState_STATE state_ = PyGILState_UNLOCKED;
};

// Releases the GIL until the end of the scope, if this thread holds it and `is_wanted`.
class [[nodiscard]] UnlockScope {
 public:
  explicit UnlockScope(bool is_wanted = true)
      : state_(is_wanted && PyGILState_Check() == 1 ? PyEval_SaveThread() : nullptr) {}
  ~UnlockScope() {
    if (state_) PyEval_RestoreThread(state_);
  }
  UnlockScope(const UnlockScope&) = delete;
  UnlockScope& operator=(const UnlockScope&) = delete;

 private:
  PyThreadState* state_;
};

// Drops a reference from any thread; a no-op once the interpreter ends.
void drop_reference(PyObject* object) noexcept;

}  // namespace opwright::torch_bridge
