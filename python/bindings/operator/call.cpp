#include "bindings/operator/call.h"

#include <algorithm>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/lock.h"
#include "bindings/object/sym_int.h"
#include "bindings/object/value.h"
#include "bindings/operator/foreign_call.h"
#include "bindings/operator/operator_object.h"
#include "bindings/operator/operator_packet.h"
#include "opwright/base/small_vector.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/property.h"
#include "opwright/schema/bind.h"
#include "opwright/schema/overloads.h"

namespace opwright::python {
namespace {

constexpr uint32_t kInlineArguments = 16;
constexpr uint32_t kInlineResults = 4;

size_t bytes_behind(const OpwTensor* tensor) {
  // Whatever a Python object holds is the core's own.
  const Storage* storage = tensor ? static_cast<const TensorImpl*>(tensor)->storage : nullptr;
  return storage && storage->data ? storage->nbytes : 0;
}

[[gnu::noinline]] size_t bytes_behind_list(const OpwValue& list) {
  size_t bytes = 0;
  visit_tensors(list, [&](OpwTensor* tensor) { bytes += bytes_behind(tensor); });
  return bytes;
}

[[gnu::always_inline]] inline bool touches_much_memory(const BindingPlan& plan,
                                                       const OpwValue* values) {
  size_t bytes = 0;
  const uint32_t num_args = plan.num_args();
  for (uint32_t i = 0; i < num_args; ++i) {
    if (values[i].tag == kOpwTensor) [[likely]] {
      bytes += bytes_behind(values[i].as_tensor);
    } else if (values[i].tag == kOpwTensorList || values[i].tag == kOpwList) [[unlikely]] {
      bytes += bytes_behind_list(values[i]);
    }
  }
  return bytes >= kManyBytes;
}

[[gnu::noinline]] void call_without_lock(const BindingPlan& plan, const OpwValue* values,
                                         OpwValue* results) {
  const HoldCallsScope held;
  const UnlockScope unlocked;
  call(plan.op(), {values, plan.num_args()}, {results, plan.num_results()});
}

PyObject* take_many(OpwValue* results, uint32_t num_results) noexcept {
  PyObject* tuple = PyTuple_New(num_results);
  for (uint32_t i = 0; i < num_results; ++i) {
    if (!tuple) {
      release_value(results[i]);
      continue;
    }
    if (PyObject* item = take_to_python(results[i])) {
      PyTuple_SET_ITEM(tuple, i, item);
    } else {
      Py_CLEAR(tuple);
    }
  }
  return tuple;
}

// Takes over a list; anything else is returned as it is.
[[gnu::cold, gnu::noinline]] PyObject* to_tuple(PyObject* result) noexcept {
  if (!result || !PyList_Check(result)) return result;
  PyObject* tuple = PyList_AsTuple(result);
  Py_DECREF(result);
  return tuple;
}

[[gnu::always_inline]] inline PyObject* run_into(const BindingPlan& plan, const OpwValue* values,
                                                 OpwValue* results) noexcept {
  const CallFrameScope frame(values, plan.num_args());
  try {
    if (plan.is_blocking() || touches_much_memory(plan, values)) [[unlikely]] {
      call_without_lock(plan, values, results);
    } else {
      call(plan.op(), {values, plan.num_args()}, {results, plan.num_results()});
    }
  } catch (...) {
    raise_current();
    return nullptr;
  }
  if (plan.num_results() == 1) [[likely]] {
    PyObject* result = take_to_python(results[0]);
    return plan.gives_tuple() ? to_tuple(result) : result;
  }
  if (plan.num_results() == 0) return Py_NewRef(Py_None);
  return take_many(results, plan.num_results());
}

[[gnu::noinline]] PyObject* run_with_many_results(const BindingPlan& plan,
                                                  const OpwValue* values) noexcept {
  return guarded([&] {
    std::vector<OpwValue> results(plan.num_results());
    return run_into(plan, values, results.data());
  });
}

[[gnu::always_inline]] inline PyObject* run_inline(const BindingPlan& plan,
                                                   const OpwValue* values) noexcept {
  drain_queue();
  if (plan.num_results() > kInlineResults) [[unlikely]]
    return run_with_many_results(plan, values);
  OpwValue results[kInlineResults]{};  // a constant count; otherwise it compiles to rep stos
  return run_into(plan, values, results);
}

// An argument that no value can hold is an error of this call.
OpwValue borrow_argument(ValueMemory& memory, PyObject* object, const Schema& schema,
                         std::string_view which) {
  try {
    return memory.borrow(object);
  } catch (const Error& error) {
    if (error.kind() != std::string_view("OverflowError")) throw;
    throw_error("OverflowError", schema.name.packet(), "(): ", which, ": ", error.text());
  }
}

PyObject* bind_and_run_values(std::span<const BindingPlan* const> overloads,
                              const GivenArguments& given, bool& is_bound) {
  const Schema& first = overloads[0]->op().schema();
  ValueMemory memory;
  SmallVector<OpwValue, 16> positional;
  SmallVector<KeywordValue, 8> keywords;
  for (size_t i = 0; i < given.num_positional; ++i) {
    positional.push_back(
        borrow_argument(memory, given.objects[i], first, concatenate("argument ", i + 1)));
  }
  for (size_t n = 0; n < given.num_keywords(); ++n) {
    const char* name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(given.names, static_cast<Py_ssize_t>(n)));
    if (!name) throw_python_error();
    keywords.push_back({name, borrow_argument(memory, given.objects[given.num_positional + n],
                                              first, concatenate("argument '", name, "'"))});
  }
  SmallVector<const Schema*, 8> schemas;
  for (const BindingPlan* plan : overloads) schemas.push_back(&plan->op().schema());
  const BindingPlan& plan = *overloads[choose_overload(schemas, positional, keywords)];
  const BoundArguments bound(plan.op().schema(), positional, keywords);
  is_bound = true;
  return run_bound(plan, bound.data());
}

// A number for a tensor, as PyTorch's overload accepts it: aten.add.Tensor(x, 2) is add.Scalar.
// Null with `problem` raised if no overload takes the call. Only for arithmetic of the core: an
// author's overloads may differ in more than the type.
PyObject* call_sibling(const Operator& op, const GivenArguments& given, const Error& problem) {
  PyObject* result = PyObject_Vectorcall(packet_object(op.schema().name.packet()), given.objects,
                                         given.num_positional, given.names);
  if (result) return result;
  PyErr_Clear();
  raise(problem);
  return nullptr;
}

bool gives_number(const GivenArguments& given) {
  const size_t count = given.num_positional + given.num_keywords();
  return std::any_of(given.objects, given.objects + count, [](PyObject* each) {
    return PyLong_Check(each) || PyFloat_Check(each) || PyComplex_Check(each) || is_sym_int(each);
  });
}

// For calls that the plan did not handle.
[[gnu::noinline]] PyObject* call_unplanned(const BindingPlan& plan,
                                           const GivenArguments& given) noexcept {
  if (PyObject* handler = type_handler(given)) {
    return guarded([&] { return call_foreign(handler, operator_object(plan.op().name()), given); });
  }
  const BindingPlan* const overloads[] = {&plan};
  bool is_bound = false;
  PyObject* result = bind_and_run(overloads, given, is_bound);
  const Operator& op = plan.op();
  if (is_bound || result || !is_builtin(op) || !op.tags().has(Tag::Pointwise) ||
      !gives_number(given))
    return result;
  return guarded([&] { return call_sibling(op, given, take_python_error()); });
}

}  // namespace

PyObject* call_planned(const BindingPlan& plan, PyObject* const* objects, size_t num_positional,
                       PyObject* names) noexcept {
  const GivenArguments given{objects, num_positional, names};
  if (plan.num_args() <= kInlineArguments) [[likely]] {
    OpwValue values[kInlineArguments];
    PlanMemory memory;
    if (plan.bind(given, values, memory)) [[likely]]
      return run_inline(plan, values);
  }
  return call_unplanned(plan, given);
}

PyObject* run_bound(const BindingPlan& plan, const OpwValue* values) noexcept {
  return run_inline(plan, values);
}

PyObject* bind_and_run(std::span<const BindingPlan* const> overloads, const GivenArguments& given,
                       bool& is_bound) noexcept {
  is_bound = false;
  return guarded([&] { return bind_and_run_values(overloads, given, is_bound); });
}

}  // namespace opwright::python
