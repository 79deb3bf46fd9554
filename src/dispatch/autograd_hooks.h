// What autograd does in a call, without dispatch depending on an engine; and what it reads per
// thread.
#pragma once

#include "opwright/dispatch/arguments.h"
#include "opwright/visibility.h"

namespace opwright {

class BackwardRefusalScope;
class Interpreter;
class Operator;
class SavedTensorHooks;

struct AutogradHooks {
  // Receives the calls that must be recorded at the current level, and continues with
  // call_below_autograd.
  void (*record)(const Operator& op, Arguments args, Results results);
  // Whether a view (kFlagHasBase) takes part in recording: its base may have got a history since
  // the view was created, and some views must not be written.
  bool (*is_tracked)(OpwTensor* view, bool is_written);
  // Records for the results of a view operator what they are views of, at the current level.
  void (*note_views)(const Operator& op, Arguments args, Results results);
};

// Call once, before the first call; null: nothing is recorded in this process. The table is never
// freed.
void set_autograd_hooks(const AutogradHooks* hooks) noexcept;
[[nodiscard]] const AutogradHooks* autograd_hooks() noexcept;

// For an operator that returns views. A kernel's own views, and those of inference mode, are not
// recorded.
void note_views(const Operator& op, Arguments args, Results results);

// ---- Settings of a thread ----

// An autograd kernel that runs at a level; the levels below run it for themselves.
struct RunningAutogradKernel {
  const Operator* op;
  const Interpreter* level;
  const RunningAutogradKernel* outer;
};

// What autograd reads besides the ThreadState. A backward pass that goes on on another thread takes
// a copy of the struct; everything pointed to outlives the scope that set it.
struct AutogradSettings {
  const RunningAutogradKernel* running_kernel = nullptr;  // the innermost one
  SavedTensorHooks* saved_hooks = nullptr;                // null: tensors are saved unchanged
  BackwardRefusalScope* refusal_scope = nullptr;          // the innermost one
  bool is_anomaly_mode = false;
  bool anomaly_mode_checks_nan = true;
};

OPWRIGHT_EXPORT extern constinit thread_local AutogradSettings this_autograd_settings
    __attribute__((tls_model("initial-exec")));

}  // namespace opwright
