// What autograd does in a call, without dispatch depending on an engine.
#pragma once

#include "opwright/dispatch/arguments.h"

namespace opwright {

class Operator;

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

}  // namespace opwright
