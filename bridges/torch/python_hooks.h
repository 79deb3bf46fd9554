// Functions that the Python part of the bridge provides to the other part. Null until the Python
// module sets them: then calls that need Python are errors.
#pragma once

#include "bridges/torch/torch_operator.h"
#include "opwright/error.h"

namespace opwright::torch_bridge {

struct PythonHooks {
  // Runs the call in Python: `args` are borrowed values over handles, `results` become owned values
  // over handles or objects. Returns 0, or 1 with the error set.
  int (*run)(TorchOperator& op, Thunk thunk, const OpwValue* args, uint32_t num_args,
             OpwValue* results, uint32_t num_results) = nullptr;
  // Calls an operator of torch whose schema the stable ABI cannot carry. As OpwHost::call, with
  // import `index` of `library`; tensors may be of either table, results are over objects.
  int (*call_import)(TorchLibrary& library, uint32_t index, const OpwValue* args, uint32_t num_args,
                     OpwValue* results, uint32_t num_results) = nullptr;
  // OpwHost::call of the hosts over objects.
  int (*call_object_import)(const OpwHost* host, uint32_t index, const OpwValue* args,
                            uint32_t num_args, OpwValue* results, uint32_t num_results) = nullptr;
  // A new AtenTensorHandle of a tensor over objects; null with the error set.
  void* (*handle_of)(OpwTensor* tensor) = nullptr;
  // Whether a dispatch mode or a functorch level is active on this thread; for versions of torch
  // whose libraries do not expose it.
  bool (*is_transforming)() = nullptr;
  // Throws what torch turns into the Python exception of the error; returns if this version of
  // torch is not known to do so.
  void (*throw_to_torch)(const Error& error) = nullptr;
};
extern PythonHooks python_hooks;

}  // namespace opwright::torch_bridge
