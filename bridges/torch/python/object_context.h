// The context of a recorded call, over the `ctx` object of a torch.autograd.Function.
//
// Tensors go to save_for_backward and saved_tensors. Attributes that a formula keeps by name are in
// ctx.opwright_attributes; the arguments that are not tensors in ctx.opwright_arguments; whether
// each tensor argument needs a gradient in ctx.opwright_needs. The caller of the rules sets the
// last two.
#pragma once

#include <deque>

#include <Python.h>

#include "bridges/torch/python/argument_frame.h"
#include "bridges/torch/python/reference.h"
#include "opwright/c_api.h"
#include "opwright/runtime/bridge.h"

namespace opwright::torch_bridge {

// On the stack of the rule's caller; counting it does nothing.
struct ObjectContext : OpwContext {
  // `ctx` and `op` are borrowed for the duration of the rule.
  ObjectContext(PyObject* ctx, const OperatorDescription& op);

  PyObject* ctx;
  const OperatorDescription& op;
  Reference saved_tensors;      // on first use
  ArgumentFrame frame;          // of values that were read
  std::deque<OpwValue> values;  // borrowed from the frame; a deque, since they do not move
};

}  // namespace opwright::torch_bridge
