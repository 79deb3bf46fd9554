#include "bindings/operator/python_function.h"

#include <algorithm>
#include <string>

#include <nanobind/nanobind.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/lock.h"
#include "bindings/object/method.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/operator/foreign_call.h"
#include "bindings/operator/operator_object.h"
#include "bindings/operator/result_aliases.h"
#include "opwright/base/given_error.h"
#include "opwright/base/small_vector.h"
#include "opwright/dispatch/call_error.h"
#include "opwright/dispatch/declined.h"
#include "opwright/dispatch/record.h"
#include "opwright/dispatch/rule.h"

namespace opwright::python {
namespace {

constexpr size_t kInlineFunctionArguments = 16;

struct PythonFunction {
  PyObject* callable;  // owned
  Convention convention;
  bool checks_aliases = false;
  // For the operator that it was last called for; under the GIL.
  const Operator* planned_for = nullptr;
  PyObject* keyword_names = nullptr;  // owned; a tuple, or null
  uint32_t num_positional = 0;

  void plan(const Operator& op, uint32_t num_args);
};

void PythonFunction::plan(const Operator& op, uint32_t num_args) {
  num_positional = num_args;
  Py_CLEAR(keyword_names);
  planned_for = &op;
  if (convention == Convention::Rule || convention == Convention::Formula) return;
  const std::vector<Argument>& arguments = op.schema().arguments;
  const size_t positional = op.schema().num_positional();
  if (positional == arguments.size()) return;
  num_positional = static_cast<uint32_t>(positional);
  keyword_names = require(PyTuple_New(static_cast<Py_ssize_t>(arguments.size() - positional)));
  for (size_t i = positional; i < arguments.size(); ++i) {
    PyTuple_SET_ITEM(keyword_names, static_cast<Py_ssize_t>(i - positional),
                     require(PyUnicode_InternFromString(arguments[i].name.c_str())));
  }
}

std::string count_text(size_t count) {
  return concatenate(count, count == 1 ? " result" : " results");
}

// "audio::gain: result 2 of the Python function"
std::string result_text(const Operator& op, uint32_t index) {
  return concatenate(op.name(), ": result ", index + 1, " of the Python function");
}

void give_one(const PythonFunction& self, const Operator& op, PyObject* object, uint32_t index,
              OpwValue& result) {
  if (Py_TYPE(object) == tensor_type) [[likely]] {
    const bool is_wanted = self.convention == Convention::Rule ||
                           op.schema().returns[index].type.required().kind() == TypeKind::Tensor;
    if (is_wanted) [[likely]] {
      result.as_tensor = retain_tensor(tensor_of(object));
      result.tag = kOpwTensor;
      return;
    }
  }
  result = self.convention == Convention::Rule
               ? give_natural(object)
               : give_result(object, op.schema().returns[index].type, result_text(op, index));
}

// A tuple where the schema has one result that is not a tuple.
void check_is_one(const Operator& op, PyObject* returned) {
  if (!PyTuple_Check(returned)) [[likely]]
    return;
  const Type& type = op.schema().returns[0].type.required();
  const bool takes_tuples = type.is_list() || type.kind() == TypeKind::Tuple ||
                            type.kind() == TypeKind::Any || type.kind() == TypeKind::Union;
  OPWRIGHT_CHECK_TYPE(takes_tuples, op.name(),
                      ": the Python function must return 1 result, but it returned a tuple of ",
                      count_text(static_cast<size_t>(PyTuple_GET_SIZE(returned))));
}

void give_any_results(const PythonFunction& self, const Operator& op, PyObject* returned,
                      OpwValue* results, uint32_t num_results) {
  if (returned == Py_NotImplemented) [[unlikely]] {
    throw_error(kDeclined, op.name(), ": the Python function returned NotImplemented");
  }
  if (num_results == 1 && !(self.convention == Convention::Rule && PyTuple_Check(returned)))
      [[likely]] {
    check_is_one(op, returned);
    return give_one(self, op, returned, 0, results[0]);
  }
  if (num_results == 0) {
    OPWRIGHT_CHECK_TYPE(returned == Py_None || self.convention == Convention::Rule, op.name(),
                        ": the Python function must return None, since the schema has no result, "
                        "but it returned ",
                        class_name(returned));
    return;
  }
  const bool is_sequence = PyTuple_Check(returned) || PyList_Check(returned);
  const auto size = is_sequence ? static_cast<size_t>(PySequence_Fast_GET_SIZE(returned)) : 1;
  OPWRIGHT_CHECK_TYPE(is_sequence && size == num_results, op.name(),
                      ": the Python function must return a tuple of ", count_text(num_results),
                      ", but it returned ", is_sequence ? count_text(size) : class_name(returned));
  for (uint32_t i = 0; i < num_results; ++i) {
    give_one(self, op, PySequence_Fast_GET_ITEM(returned, static_cast<Py_ssize_t>(i)), i,
             results[i]);
  }
}

void give_results(const PythonFunction& self, const Operator& op, PyObject* returned,
                  OpwValue* results, uint32_t num_results) {
  try {
    give_any_results(self, op, returned, results, num_results);
  } catch (Error& error) {
    if (self.convention != Convention::Rule) note_wrong_result(error, op);
    throw;
  }
}

// References to the arguments as Python objects; one slot in front for vectorcall.
class ArgumentObjects {
 public:
  explicit ArgumentObjects(size_t most) { objects_.resize(most + 1); }
  ArgumentObjects(const ArgumentObjects&) = delete;
  ArgumentObjects& operator=(const ArgumentObjects&) = delete;
  ~ArgumentObjects() {
    while (made_ > 0) Py_DECREF(objects_[made_--]);
  }
  void add(PyObject* owned) { objects_[++made_] = require(owned); }
  [[nodiscard]] PyObject** data() { return objects_.data() + 1; }

 private:
  SmallVector<PyObject*, kInlineFunctionArguments + 2> objects_;
  size_t made_ = 0;
};

// Not inlined: see take_lock.
[[gnu::noinline]] PyObject* call_callable(PythonFunction& self, const Operator& op,
                                          const OpwValue* args, uint32_t num_args) {
  if (self.planned_for != &op) [[unlikely]]
    self.plan(op, num_args);
  const bool passes_operator = self.convention == Convention::Fallback;
  ArgumentObjects objects(num_args + (passes_operator ? 1 : 0));
  if (passes_operator) objects.add(Py_NewRef(operator_object(op.name())));
  for (uint32_t i = 0; i < num_args; ++i) {
    objects.add(args[i].tag == kOpwTensor ? wrap_borrowed(args[i].as_tensor) : to_python(args[i]));
  }
  const size_t num_positional = self.num_positional + (passes_operator ? 1 : 0);
  SleepAtExitScope scope;
  PyObject* returned =
      PyObject_Vectorcall(self.callable, objects.data(),
                          num_positional | PY_VECTORCALL_ARGUMENTS_OFFSET, self.keyword_names);
  scope.leave();
  return require(returned);
}

// ---- setup_context ----

PyObject* function_argument(const OpwValue& value) {
  return require(value.tag == kOpwTensor ? wrap_borrowed(value.as_tensor) : to_python(value));
}

// The values as a tuple.
nanobind::object make_tuple(const OpwValue* values, uint32_t count) {
  nanobind::object tuple = own(PyTuple_New(count));
  for (uint32_t i = 0; i < count; ++i)
    PyTuple_SET_ITEM(tuple.ptr(), i, function_argument(values[i]));
  return tuple;
}

nanobind::object make_keyword_dict(PyObject* names, const OpwValue* values) {
  nanobind::object dict = own(PyDict_New());
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    const nanobind::object value = own(function_argument(values[i]));
    require_no_error(PyDict_SetItem(dict.ptr(), PyTuple_GET_ITEM(names, i), value.ptr()));
  }
  return dict;
}

nanobind::object make_output(const OpwValue* results, uint32_t count) {
  if (count == 0) return nanobind::none();
  return count == 1 ? own(function_argument(results[0])) : make_tuple(results, count);
}

[[gnu::noinline]] PyObject* call_setup_context(PythonFunction& self, const Operator& op,
                                               const OpwValue* args, uint32_t num_args) {
  if (self.planned_for != &op) [[unlikely]]
    self.plan(op, op.num_arguments());
  const OpwValue* inputs = args + 1;
  const nanobind::object context = own(function_argument(args[0]));
  const nanobind::object given = make_tuple(inputs, self.num_positional);
  const nanobind::object output =
      make_output(inputs + op.num_arguments(), num_args - 1 - op.num_arguments());
  nanobind::object keyword_only;
  PyObject* objects[5] = {nullptr, context.ptr(), given.ptr(), output.ptr(), nullptr};
  if (self.keyword_names) {
    keyword_only = make_keyword_dict(self.keyword_names, inputs + self.num_positional);
    objects[3] = keyword_only.ptr();
    objects[4] = output.ptr();
  }
  const size_t count = self.keyword_names ? 4 : 3;
  SleepAtExitScope scope;
  PyObject* returned = PyObject_Vectorcall(self.callable, objects + 1,
                                           count | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  scope.leave();
  return require(returned);
}

// ---- Results of a formula ----

[[noreturn]] void throw_wrong_count(const Operator& op, size_t given, size_t wanted,
                                    const std::string& names) {
  throw_error("RuntimeError", op.name(), ": the backward formula returned ", given,
              " gradients, but the operator has ", wanted, " arguments\n  Return one for each of ",
              names, ": None for an argument that has no gradient.");
}

void check_result_count(const Operator& op, PyObject* const* items, size_t size) {
  size_t wanted = 0;
  std::string names;
  for (uint32_t i = 0; i < op.num_arguments(); ++i) {
    const Argument& argument = op.schema().arguments[i];
    if (argument.is_keyword_only && !op.takes_tensors(i)) continue;
    names += (wanted++ == 0 ? "" : ", ") + argument.name;
  }
  const bool is_enough = size >= wanted && std::all_of(items + wanted, items + size,
                                                       [](auto* each) { return each == Py_None; });
  if (!is_enough) throw_wrong_count(op, size, wanted, names);
}

// One for each tensor argument.
void give_gradients(const Operator& op, PyObject* returned, OpwValue* results) {
  const bool is_tuple = PyTuple_Check(returned);
  PyObject* const* items = is_tuple ? &PyTuple_GET_ITEM(returned, 0) : &returned;
  const auto size = is_tuple ? static_cast<size_t>(PyTuple_GET_SIZE(returned)) : 1;
  if (size != op.num_arguments()) [[unlikely]]
    check_result_count(op, items, size);
  uint32_t tensor = 0;
  size_t next = 0;
  for (uint32_t i = 0; i < op.num_arguments(); ++i) {
    const Argument& argument = op.schema().arguments[i];
    const bool takes_tensors = op.takes_tensors(i);
    if (!takes_tensors && argument.is_keyword_only) continue;
    if (next >= size) [[unlikely]]
      check_result_count(op, items, size);
    PyObject* gradient = items[next++];
    if (!takes_tensors) {
      OPWRIGHT_CHECK(gradient == Py_None, op.name(),
                     ": the backward formula returned a gradient for '", argument.name,
                     "', which is ", argument.type, "; return None there");
      continue;
    }
    OpwValue& result = results[tensor++];
    if (Py_TYPE(gradient) == tensor_type) [[likely]] {
      result.as_tensor = retain_tensor(tensor_of(gradient));
      result.tag = kOpwTensor;
      continue;
    }
    const bool is_list = PyList_Check(gradient) || PyTuple_Check(gradient);
    OPWRIGHT_CHECK(is_list || gradient == Py_None || is_tensor(gradient), op.name(),
                   ": the backward formula returned ", class_name(gradient), " for '",
                   argument.name, "'; a gradient is a tensor or None");
    result = give_natural(gradient);
  }
}

struct Returned {
  PyObject* object;
  explicit Returned(PyObject* owned) : object(owned) {}
  Returned(const Returned&) = delete;
  Returned& operator=(const Returned&) = delete;
  ~Returned() { Py_DECREF(object); }
};

int call_python(const OpwRecord* record, const OpwValue* args, uint32_t num_args, OpwValue* results,
                uint32_t num_results);

// Not inlined: a scope object on the common path costs 6 ns.
[[gnu::cold, gnu::noinline]] int call_outside_of_scopes(const OpwRecord* record,
                                                        const OpwValue* args, uint32_t num_args,
                                                        OpwValue* results, uint32_t num_results) {
  const OwnCallScope own_call;
  return call_python(record, args, num_args, results, num_results);
}

int call_python(const OpwRecord* record, const OpwValue* args, uint32_t num_args, OpwValue* results,
                uint32_t num_results) {
  const LockScope lock;
  if (num_foreign_scopes != 0 && is_in_foreign_scope()) [[unlikely]]
    return call_outside_of_scopes(record, args, num_args, results, num_results);
  return status_of([&] {
    auto& self = *static_cast<PythonFunction*>(record->self);
    const Operator& op = *from_c(record->op);
    if (self.convention == Convention::SetupContext) {
      const Returned nothing(call_setup_context(self, op, args, num_args));
      return;
    }
    const Returned returned(call_callable(self, op, args, num_args));
    if (self.convention == Convention::Formula) {
      give_gradients(op, returned.object, results);
    } else {
      give_results(self, op, returned.object, results, num_results);
      if (self.checks_aliases) check_result_aliases(op, {args, num_args}, {results, num_results});
    }
  });
}

void drop_function(void* self) {
  auto* function = static_cast<PythonFunction*>(self);
  drop_reference(function->callable);
  if (function->keyword_names) drop_reference(function->keyword_names);
  delete function;
}

}  // namespace

Convention convention_of(Slot slot) {
  if (slot == Slot::SetupContext) return Convention::SetupContext;
  if (slot == Slot::Autograd) return Convention::Formula;
  return has_operator_signature(slot) ? Convention::Kernel : Convention::Rule;
}

BoxedFunction box_python(PyObject* callable, Convention convention, bool checks_aliases) {
  OPWRIGHT_CHECK_TYPE(PyCallable_Check(callable), "expected a function, got ",
                      class_name(callable));
  return {.function = &call_python,
          .self = new PythonFunction{.callable = Py_NewRef(callable),
                                     .convention = convention,
                                     .checks_aliases = checks_aliases},
          .drop = &drop_function,
          .signature = nullptr};
}

PyObject* callable_of(const BoxedFunction& boxed) {
  if (boxed.function != &call_python) return nullptr;
  return static_cast<PythonFunction*>(boxed.self)->callable;
}

}  // namespace opwright::python
