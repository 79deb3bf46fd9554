// What autograd does in a call, without dispatch knowing an engine.
#pragma once

#include "opwright/dispatch/arguments.h"

namespace opwright {

class Operator;

struct AutogradHooks {
  // Gets the calls that must be recorded at the current level, and goes on with
  // call_below_autograd.
  void (*record)(const Operator& op, Arguments args, Results results);
  // Whether a tensor that is a view (kFlagHasBase) has a part in recording: its base may have got
  // a history since the view was made, and some views must not be written.
  bool (*is_tracked)(OpwTensor* view, bool is_written);
  // Notes on the results of a view operator what they are views of, at the current level.
  void (*note_views)(const Operator& op, Arguments args, Results results);
};

// Once, before the first call; null: nothing is recorded in this process. The table stays for ever.
void set_autograd_hooks(const AutogradHooks* hooks) noexcept;
[[nodiscard]] const AutogradHooks* autograd_hooks() noexcept;

// Of an operator that gives views. A kernel's own views, and those of inference mode, are not
// noted.
void note_views(const Operator& op, Arguments args, Results results);

}  // namespace opwright
