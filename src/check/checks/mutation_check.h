// Detects operators that write an argument which their schema does not mark as written.
//
// Such an operator works when called directly and breaks every program that reorders, removes or
// replays calls. The check copies every argument, so it is for tests and debugging.
#pragma once

#include "opwright/visibility.h"

namespace opwright {

// Turns the check on or off for the calling thread and returns the previous setting. While it is
// on, every call with plain CPU tensors compares the bytes of all tensor arguments (lists included)
// that are not marked as written before and after the call. A change is a RuntimeError with the
// operator, the argument, the first changed element with both values, and what to declare.
//
// - Operators called by a kernel or composite belong to the checked call. They are not checked
//   themselves, and modes do not see them.
// - A call with a wrapped tensor of a transform is checked where the transform has unwrapped it; a
//   call with a fake tensor never is.
// - An argument that shares memory with a written one changes with it and is left out.
// - A write by another thread during the call is attributed to the operator.
//
// The check is the outermost mode of the thread, regardless of the mode scopes in which it is
// switched, and stays on when they end. Do not switch it inside Mode::process, where the list of
// modes is incomplete.
OPWRIGHT_EXPORT bool set_check_mutation(bool enabled);

}  // namespace opwright
