#include "bindings/interpreter/exception_class.h"

#include <cstring>
#include <string>

#include <nanobind/nanobind.h>

#include "opwright/dispatch/declined.h"

namespace opwright::python {
namespace {

// The kinds whose class also derives from RuntimeError. The classes are created with the module and
// kept permanently.
struct RuntimeKind {
  const char* name;
  PyObject* type = nullptr;
};
RuntimeKind runtime_kinds[] = {
    {"ValueError"},    {"TypeError"},         {"IndexError"},
    {"OverflowError"}, {"ZeroDivisionError"}, {"MemoryError"},
};
// The kinds of an input that a program does not accept. Their classes are shown as ValueError and
// TypeError, and also derive from AssertionError; a wrong structure is both.
RuntimeKind input_kinds[] = {{"InputValueError"}, {"InputTypeError"}};
PyObject* graph_break_error = nullptr;
PyObject* data_dependent_error = nullptr;
PyObject* lin_alg_error = nullptr;
PyObject* make_error = nullptr;  // the function of the module that unpickles an error

PyObject* find_builtin(const char* name) noexcept {
  PyObject* found = PyDict_GetItemString(PyEval_GetBuiltins(), name);
  return found && PyExceptionClass_Check(found) ? found : nullptr;
}

// Pickle finds a class by its name, which here is the builtin's; so an error is pickled as a call.
PyObject* reduce_error(PyObject* error, PyObject* /*unused*/) {
  PyObject* arguments = PyObject_GetAttrString(error, "args");
  PyObject* state = arguments ? PyObject_GetAttrString(error, "__dict__") : nullptr;
  PyObject* reduced =
      state ? Py_BuildValue("O(sO)O", make_error, Py_TYPE(error)->tp_name, arguments, state)
            : nullptr;
  Py_XDECREF(arguments);
  Py_XDECREF(state);
  return reduced;
}
PyMethodDef reduce_method = {"__reduce__", &reduce_error, METH_NOARGS, nullptr};

// Called by pickle, which does not accept functions of nanobind.
PyObject* call_make_error(PyObject* /*module*/, PyObject* call) {
  const char* kind = nullptr;
  PyObject* arguments = nullptr;
  if (!PyArg_ParseTuple(call, "sO!:make_error", &kind, &PyTuple_Type, &arguments)) return nullptr;
  PyObject* type = find_exception_class(kind);
  return PyObject_Call(type ? type : PyExc_RuntimeError, arguments, nullptr);
}
PyMethodDef module_functions[] = {
    {"make_error", &call_make_error, METH_VARARGS,
     "Return an exception of the class that errors of this kind have; pickle calls it."},
    {nullptr, nullptr, 0, nullptr},
};

// Takes `bases`; the class is shown with the name of the first.
PyObject* make_class(PyObject* bases) {
  const char* shown =
      bases ? reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, 0))->tp_name : "";
  const std::string name = std::string("builtins.") + shown;
  PyObject* type = bases ? PyErr_NewExceptionWithDoc(
                               name.c_str(), "An error of an operator or a tensor.", bases, nullptr)
                         : nullptr;
  Py_XDECREF(bases);
  if (!type) throw nanobind::python_error();
  PyObject* method = PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type), &reduce_method);
  if (!method || PyObject_SetAttrString(type, "__reduce__", method) != 0)
    throw nanobind::python_error();
  Py_DECREF(method);
  return type;
}

constexpr const char* kGraphBreakDoc =
    "A function compiled with fullgraph=True does something that no graph can represent.\n\n"
    "The message names the line, the cause and the ways out.\n\n"
    ">>> import opwright as ow\n"
    ">>> @ow.compile(fullgraph=True, backend=\"plan\")\n"
    "... def f(x):\n"
    "...     return x if x.sum() > 0 else -x\n"
    ">>> try:\n"
    "...     f(ow.ones(2))\n"
    "... except ow.GraphBreakError:\n"
    "...     print(\"a branch on data\")\n"
    "a branch on data\n";

constexpr const char* kDataDependentDoc =
    "Code reads data that a fake, traced or batched tensor does not have.\n\n"
    "A decision by a size that is known only when the program runs is such an error, too. The\n"
    "message names the line and the ways out.\n\n"
    ">>> import opwright as ow\n"
    ">>> try:\n"
    "...     ow.make_fx(lambda x: x if x.sum() > 0 else -x)(ow.ones(2))\n"
    "... except ow.DataDependentError:\n"
    "...     print(\"a branch on data\")\n"
    "a branch on data\n";

constexpr const char* kLinAlgDoc =
    "A matrix is singular, not positive-definite, or an algorithm did not converge.\n\n"
    ">>> import opwright as ow\n"
    ">>> try:\n"
    "...     ow.linalg.inv(ow.zeros(2, 2))\n"
    "... except ow.linalg.LinAlgError:\n"
    "...     print(\"singular\")\n"
    "singular\n";

// Adds a class of our own, which derives from RuntimeError; `name` is "opwright.NameError".
PyObject* add_exception(PyObject* module, const char* name, const char* documentation) {
  PyObject* type = PyErr_NewExceptionWithDoc(name, documentation, PyExc_RuntimeError, nullptr);
  const char* own_name = std::strchr(name, '.') + 1;
  if (!type || PyModule_AddObjectRef(module, own_name, type) != 0) throw nanobind::python_error();
  return type;
}

}  // namespace

PyObject* find_exception_class(const char* kind) noexcept {
  for (const RuntimeKind& each : runtime_kinds)
    if (std::strcmp(kind, each.name) == 0) return each.type;
  for (const RuntimeKind& each : input_kinds)
    if (std::strcmp(kind, each.name) == 0) return each.type;
  if (std::strcmp(kind, "GraphBreakError") == 0) return graph_break_error;
  if (std::strcmp(kind, "DataDependentError") == 0) return data_dependent_error;
  if (std::strcmp(kind, "LinAlgError") == 0) return lin_alg_error;
  if (std::strcmp(kind, kDeclined) == 0) return find_exception_class("TypeError");
  return find_builtin(kind);
}

void add_exceptions(PyObject* module) {
  for (RuntimeKind& each : runtime_kinds)
    each.type = make_class(PyTuple_Pack(2, find_builtin(each.name), PyExc_RuntimeError));
  input_kinds[0].type =
      make_class(PyTuple_Pack(3, PyExc_ValueError, PyExc_RuntimeError, PyExc_AssertionError));
  input_kinds[1].type = make_class(
      PyTuple_Pack(4, PyExc_TypeError, PyExc_ValueError, PyExc_RuntimeError, PyExc_AssertionError));
  if (PyModule_AddFunctions(module, module_functions) != 0) throw nanobind::python_error();
  make_error = PyObject_GetAttrString(module, "make_error");
  graph_break_error = add_exception(module, "opwright.GraphBreakError", kGraphBreakDoc);
  data_dependent_error = add_exception(module, "opwright.DataDependentError", kDataDependentDoc);
  lin_alg_error = add_exception(module, "opwright.LinAlgError", kLinAlgDoc);
}

}  // namespace opwright::python
