#include "bridges/torch/python/hooks.h"

#include <cstddef>
#include <cstdint>

#include "bridges/torch/given_error.h"
#include "bridges/torch/handle_tensor.h"
#include "bridges/torch/python/errors.h"
#include "bridges/torch/python/handle_objects.h"
#include "bridges/torch/python/lock.h"
#include "bridges/torch/python/object_tensor.h"
#include "bridges/torch/python/object_values.h"
#include "bridges/torch/python/python_call.h"
#include "bridges/torch/python/python_error.h"
#include "bridges/torch/python/reference.h"
#include "bridges/torch/python/rule.h"
#include "bridges/torch/python/torch_objects.h"
#include "bridges/torch/python_hooks.h"
#include "bridges/torch/torch_operator.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"

namespace opwright::torch_bridge {
namespace {

// Tensors over handles: they go to torch's stack, not to a function of the binary.
OpwValue give_for_stack(PyObject* object, const ValueType& type) {
  if (type.kind != ValueKind::Tensor || type.is_list || !is_tensor(object))
    return give_object(object, type);
  OpwValue value{};
  value.tag = kOpwTensor;
  value.as_tensor = own_later(new_handle_of_object(object));
  return value;
}

int run_thunk(TorchOperator& op, Thunk thunk, const OpwValue* args, uint32_t num_args,
              OpwValue* results, uint32_t num_results) {
  return status_of([&] {
    const LockScope lock;
    require_present(op);
    auto* callable = static_cast<PyObject*>(op.python_functions[static_cast<size_t>(thunk)]);
    if (!callable) {
      throw_error("NotImplementedError", op.description.name,
                  " has no function in Python for this call");
    }
    const Reference kept = Reference::borrow(callable);
    const Reference result = call_python(callable, args, num_args, nullptr);
    take_results(result, op.description.results, results, num_results, give_for_stack);
  });
}

int call_import_in_python(TorchLibrary& library, uint32_t index, const OpwValue* args,
                          uint32_t num_args, OpwValue* results, uint32_t num_results) {
  return status_of([&] { call_resolved(library, index, args, num_args, results, num_results); });
}

int call_object_import(const OpwHost* host, uint32_t index, const OpwValue* args, uint32_t num_args,
                       OpwValue* results, uint32_t num_results) {
  auto& library = *static_cast<TorchLibrary*>(host->instance);
  if (index < library.contents.imports.size() &&
      library.contents.imports[index].name == "opwright::current_stream")
    return library.handles.call(&library.handles, index, args, num_args, results, num_results);
  return call_import_in_python(library, index, args, num_args, results, num_results);
}

void* handle_of_object_tensor(OpwTensor* tensor) {
  try {
    const LockScope lock;
    const Reference object = Reference::take(object_of_tensor(tensor));
    return new_handle_of_object(object.get());
  } catch (...) {
    give_current_exception();
    return nullptr;
  }
}

bool ask_whether_transforming() {
  const LockScope lock;
  const Reference answer = Reference::take(PyObject_CallNoArgs(torch_objects().is_transforming));
  PyErr_Clear();
  return answer.get() != Py_False;
}

using Loop = decltype(OpwHost::parallel_for);
Loop loop_of_handles = nullptr;
Loop loop_of_objects = nullptr;

int loop_over_handles(const OpwHost* host, int64_t size, int64_t grain, OpwLoopBody body,
                      void* context) {
  const UnlockScope unlocked;
  return loop_of_handles(host, size, grain, body, context);
}
int loop_over_objects(const OpwHost* host, int64_t size, int64_t grain, OpwLoopBody body,
                      void* context) {
  const UnlockScope unlocked;
  return loop_of_objects(host, size, grain, body, context);
}

}  // namespace

void install_hooks() {
  python_hooks.run = run_thunk;
  python_hooks.call_import = call_import_in_python;
  python_hooks.call_object_import = call_object_import;
  python_hooks.handle_of = handle_of_object_tensor;
  python_hooks.is_transforming = ask_whether_transforming;
  if (torch_carries_python_errors()) python_hooks.throw_to_torch = throw_python_error;
}

void unlock_loops(TorchLibrary& library) {
  if (library.handles.parallel_for == loop_over_handles) return;
  loop_of_handles = library.handles.parallel_for;
  loop_of_objects = library.objects.parallel_for;
  library.handles.parallel_for = loop_over_handles;
  library.objects.parallel_for = loop_over_objects;
}

}  // namespace opwright::torch_bridge
