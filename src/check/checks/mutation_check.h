// A check for operators that write an argument which their schema does not mark as written.
//
// Such an operator is right when it is called directly and wrong in every program that reorders,
// removes or replays calls. The check costs a copy of every argument: it is for tests and
// debugging.
#pragma once

#include "opwright/visibility.h"

namespace opwright {

// Switches the check for the calling thread and gives what it was before. While it is on, every
// call with plain tensors on the CPU compares, when it has returned, the bytes of all tensors among
// its arguments (lists included) that are not marked as written with those before the call.
// RuntimeError for a change: the operator, the argument, the first element with both values, what
// to declare.
//
// - Operators that a kernel or composite calls are part of the call that is checked, and not
// checked
//   themselves; modes do not see them either.
// - A call with a tensor inside a transform is checked where the transform has unwrapped it; a call
//   with a fake tensor never is.
// - An argument that shares memory with a written one changes with it and is left out.
// - An argument that another thread writes meanwhile is taken for one that the operator wrote.
//
// The check is the outermost mode of the thread, wherever in scopes of other modes it is switched,
// and stays when they end. Inside Mode::process it is to be left as it is: the list is not whole.
OPWRIGHT_EXPORT bool set_check_mutation(bool enabled);

}  // namespace opwright
