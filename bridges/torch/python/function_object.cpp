// opwright._torch.Function: one call of a binary's autograd function, over torch's objects.

#include <cstddef>
#include <cstdint>
#include <string>

#include "bridges/torch/given_error.h"
#include "bridges/torch/python/argument_frame.h"
#include "bridges/torch/python/errors.h"
#include "bridges/torch/python/object_values.h"
#include "bridges/torch/python/opaque_object.h"
#include "bridges/torch/python/reference.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/registration/host_functions.h"
#include "opwright/runtime/bridge.h"
#include "opwright/value.h"

namespace opwright::torch_bridge {
namespace {

struct FunctionWrapper {
  PyObject_HEAD OpwObject* function;
};
PyTypeObject* function_type = nullptr;

OpwObject* function_of(PyObject* self) {
  return reinterpret_cast<FunctionWrapper*>(self)->function;
}
const OpwAutogradFunctionTable& table_of(PyObject* self) {
  return *reinterpret_cast<const OpwAutogradFunction*>(function_of(self))->function;
}

constexpr size_t kMostValues = 8;

// Results that are released with the scope.
struct FunctionResults {
  OpwValue values[kMostValues] = {};
  uint32_t count;

  explicit FunctionResults(uint32_t number) : count(number) {}
  FunctionResults(const FunctionResults&) = delete;
  FunctionResults& operator=(const FunctionResults&) = delete;
  ~FunctionResults() {
    for (uint32_t i = 0; i < count; ++i) release_value(values[i]);
  }
};

// Runs a function of the table: a list of bools, then lists of tensors or None.
void run_function(PyObject* self, decltype(OpwAutogradFunctionTable::forward) function,
                  PyObject* const* args, uint32_t num_args, FunctionResults& results) {
  static const ValueType kBools{ValueKind::Bool, false, true, false, "bool[]"};
  static const ValueType kTensors{ValueKind::Tensor, false, true, true, "Tensor?[]"};
  ArgumentFrame frame;
  OpwValue values[kMostValues];
  for (uint32_t i = 0; i < num_args; ++i)
    values[i] = lend_object(args[i], i == 0 ? kBools : kTensors, frame);
  const Reference kept = Reference::borrow(self);
  if (function(function_of(self), values, num_args, results.values, results.count) != 0)
    throw_given();
}

void require_arguments(const char* name, Py_ssize_t given, Py_ssize_t wanted) {
  if (given == wanted) return;
  throw_error("TypeError", name, " takes ", static_cast<int64_t>(wanted), " arguments, got ",
              static_cast<int64_t>(given));
}

PyObject* run_forward(PyObject* self, PyObject* const* args, Py_ssize_t num_args) {
  return raising([&] {
    require_arguments("forward", num_args, 2);
    FunctionResults results(kNumForwardResults);
    run_function(self, table_of(self).forward, args, 2, results);
    Reference tuple = require_new(PyTuple_New(results.count));
    for (uint32_t i = 0; i < results.count; ++i) {
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), object_of_value(results.values[i]));
    }
    return tuple.give();
  });
}

PyObject* run_backward(PyObject* self, PyObject* const* args, Py_ssize_t num_args) {
  return raising([&] {
    require_arguments("backward", num_args, 3);
    FunctionResults results(1);
    run_function(self, table_of(self).backward, args, 3, results);
    return object_of_value(results.values[0]);
  });
}

PyObject* function_name(PyObject* self, void* /*closure*/) {
  return raising([&] {
    const std::string name = text_of(function_of(self));
    return require(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
  });
}

void drop_function(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  OpwObject* function = function_of(self);
  if (function) function->table->release(function);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef function_methods[] = {
    {"forward", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(run_forward)),
     METH_FASTCALL,
     "forward(needs, inputs)\n--\n\nRun it once, inside of apply_function; return outputs, saved, "
     "written, outputs without gradient, materialize, keeps_tensors."},
    {"backward", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(run_backward)),
     METH_FASTCALL,
     "backward(needs, saved, gradients)\n--\n\nReturn the gradient or None of each input."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef function_properties[] = {{"name", function_name, nullptr, "Its C++ class.", nullptr},
                                     {nullptr, nullptr, nullptr, nullptr, nullptr}};
constexpr char kFunctionText[] = "One call of an autograd function of an operator binary.";
PyType_Slot function_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(drop_function)},
                                {Py_tp_methods, function_methods},
                                {Py_tp_getset, function_properties},
                                {Py_tp_doc, const_cast<char*>(kFunctionText)},
                                {0, nullptr}};
PyType_Spec function_spec = {"opwright._torch.Function", sizeof(FunctionWrapper), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             function_slots};

}  // namespace

bool is_autograd_function(const OpwObject* object) {
  return find_autograd_function(object) != nullptr;
}

PyObject* object_of_function(OpwObject* function) {
  auto* wrapper =
      reinterpret_cast<FunctionWrapper*>(require(function_type->tp_alloc(function_type, 0)));
  function->table->retain(function);
  wrapper->function = function;
  return reinterpret_cast<PyObject*>(wrapper);
}

void add_function_type(PyObject* module) {
  function_type = reinterpret_cast<PyTypeObject*>(require(PyType_FromSpec(&function_spec)));
  require_no_error(
      PyModule_AddObjectRef(module, "Function", reinterpret_cast<PyObject*>(function_type)));
}

}  // namespace opwright::torch_bridge
