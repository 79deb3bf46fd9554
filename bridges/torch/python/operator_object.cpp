#include "bridges/torch/python/operator_object.h"

#include <cstddef>
#include <string>
#include <utility>

#include "bridges/torch/python/errors.h"
#include "bridges/torch/python/fast_path.h"
#include "bridges/torch/python/hooks.h"
#include "bridges/torch/python/reference.h"
#include "bridges/torch/python/rule.h"
#include "bridges/torch/torch_operator.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"

namespace opwright::torch_bridge {
namespace {

// ---- Registration ----

struct RegistrationObject {
  PyObject_HEAD TorchRegistration* registration;
};
PyTypeObject* registration_type = nullptr;

PyObject* close_registration(PyObject* self, PyObject* /*unused*/) {
  delete_registration(
      std::exchange(reinterpret_cast<RegistrationObject*>(self)->registration, nullptr));
  Py_RETURN_NONE;
}

void drop_registration(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(close_registration(self, nullptr));
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef registration_methods[] = {
    {"close", close_registration, METH_NOARGS, "Remove the function from torch's dispatcher."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot registration_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(drop_registration)},
    {Py_tp_methods, registration_methods},
    {Py_tp_doc, const_cast<char*>("A function in torch's dispatcher, until it is closed.")},
    {0, nullptr}};
PyType_Spec registration_spec = {"opwright._torch.Registration", sizeof(RegistrationObject), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 registration_slots};

// ---- Operator ----

struct OperatorObject {
  PyObject_HEAD TorchOperator* op;  // never freed
};
PyTypeObject* operator_type = nullptr;

TorchOperator& op_of(PyObject* self) { return *reinterpret_cast<OperatorObject*>(self)->op; }

PyObject* object_of_text(const std::string& text) {
  return require(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

// A tuple of the results of `make` for each element.
template <class List, class Make>
PyObject* list_as_tuple(const List& list, const Make& make) {
  Reference tuple = require_new(PyTuple_New(static_cast<Py_ssize_t>(list.size())));
  Py_ssize_t place = 0;
  for (const auto& each : list) PyTuple_SET_ITEM(tuple.get(), place++, require(make(each)));
  return tuple.give();
}

PyObject* get_name(PyObject* self, void* /*closure*/) {
  return raising([&] { return object_of_text(op_of(self).description.name); });
}
PyObject* get_schema(PyObject* self, void* /*closure*/) {
  return raising([&] { return object_of_text(op_of(self).description.schema); });
}
PyObject* get_library(PyObject* self, void* /*closure*/) {
  return raising([&] { return object_of_text(op_of(self).description.library); });
}
PyObject* get_uncarried(PyObject* self, void* /*closure*/) {
  return raising([&] { return object_of_text(uncarried_reason(op_of(self).description)); });
}

PyObject* get_arguments(PyObject* self, void* /*closure*/) {
  return raising([&] {
    return list_as_tuple(op_of(self).description.arguments, [](const ArgumentDescription& each) {
      return Py_BuildValue("ssOO", each.name.c_str(), each.type.text.c_str(),
                           each.is_written ? Py_True : Py_False,
                           each.is_keyword_only ? Py_True : Py_False);
    });
  });
}

PyObject* get_results(PyObject* self, void* /*closure*/) {
  return raising([&] {
    return list_as_tuple(op_of(self).description.results, [](const ResultDescription& each) {
      return Py_BuildValue("sii", each.type.text.c_str(), each.written_argument,
                           each.viewed_argument);
    });
  });
}

PyObject* get_slots(PyObject* self, void* /*closure*/) {
  return raising([&] {
    return list_as_tuple(op_of(self).functions,
                         [](const auto& each) { return PyUnicode_FromString(each.first.c_str()); });
  });
}

PyObject* rule_of(PyObject* self, PyObject* slot) {
  return raising([&]() -> PyObject* {
    const char* text = PyUnicode_AsUTF8(slot);
    if (!text) throw take_python_error();
    return make_rule(op_of(self), text);
  });
}

Thunk thunk_of(int number) {
  if (number < 0 || number > static_cast<int>(Thunk::Composite))
    throw_error("ValueError", "a thunk is 0 (kernel), 1 (autograd) or 2 (composite), got ", number);
  return static_cast<Thunk>(number);
}

PyObject* set_python(PyObject* self, PyObject* args) {
  int number = 0;
  PyObject* callable = nullptr;
  if (!PyArg_ParseTuple(args, "iO", &number, &callable)) return nullptr;
  return raising([&] {
    void*& place = op_of(self).python_functions[static_cast<size_t>(thunk_of(number))];
    PyObject* kept = callable == Py_None ? nullptr : Py_NewRef(callable);
    Py_XDECREF(static_cast<PyObject*>(std::exchange(place, kept)));
    return Py_NewRef(Py_None);
  });
}

PyObject* register_operator(PyObject* self, PyObject* args) {
  int number = 0;
  const char* key = nullptr;
  if (!PyArg_ParseTuple(args, "is", &number, &key)) return nullptr;
  return raising([&] {
    Reference object = require_new(registration_type->tp_alloc(registration_type, 0));
    reinterpret_cast<RegistrationObject*>(object.get())->registration =
        register_thunk(op_of(self), thunk_of(number), key);
    return object.give();
  });
}

PyObject* remove_operator(PyObject* self, PyObject* /*unused*/) {
  op_of(self).is_removed = true;
  Py_RETURN_NONE;
}

PyObject* fast_of(PyObject* self, PyObject* args) {
  PyObject* fallback = nullptr;
  PyObject* recorded = nullptr;
  if (!PyArg_ParseTuple(args, "O|O", &fallback, &recorded)) return nullptr;
  if (recorded == Py_None) recorded = nullptr;
  return raising([&] { return make_fast(op_of(self), fallback, recorded); });
}

PyObject* show_operator(PyObject* self) {
  return PyUnicode_FromFormat("<operator %s for torch>", op_of(self).description.name.c_str());
}

void drop_operator(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyGetSetDef operator_attributes[] = {
    {"name", get_name, nullptr, "\"audio::soft_clip.out\".", nullptr},
    {"schema", get_schema, nullptr, "The canonical schema, with its namespace.", nullptr},
    {"library", get_library, nullptr, "The file of the binary that defines it, or ''.", nullptr},
    {"arguments", get_arguments, nullptr, "(name, type, is written, is keyword-only) of each.",
     nullptr},
    {"results", get_results, nullptr,
     "(type, the argument that it is, the argument that it views) of each; -1 if none.", nullptr},
    {"slots", get_slots, nullptr, "Names of the slots with a function of the binary.", nullptr},
    {"uncarried", get_uncarried, nullptr, "Why torch's stable ABI cannot carry the schema, or ''.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef operator_methods[] = {
    {"rule", rule_of, METH_O, "Return the binary's function in that slot, or None."},
    {"set_python", set_python, METH_VARARGS,
     "Set the callable of thunk 0 (kernel), 1 (autograd) or 2 (composite)."},
    {"register", register_operator, METH_VARARGS,
     "Register a thunk with torch's dispatcher under a key; return the Registration."},
    {"remove", remove_operator, METH_NOARGS, "Make every function that is still held raise."},
    {"fast", fast_of, METH_VARARGS,
     "Return a callable that runs the kernel directly if that is safe, else calls `fallback`;\n"
     "if only a gradient prevents it, it calls the second argument, if given."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot operator_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(drop_operator)},
    {Py_tp_repr, reinterpret_cast<void*>(show_operator)},
    {Py_tp_getset, operator_attributes},
    {Py_tp_methods, operator_methods},
    {Py_tp_doc, const_cast<char*>("An operator of Opwright as torch runs it.")},
    {0, nullptr}};
PyType_Spec operator_spec = {"opwright._torch.Operator", sizeof(OperatorObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             operator_slots};

// The operator's library, or one without functions.
TorchOperator& find_operator(const std::string& name) {
  OperatorDescription description = describe_operator(name);
  if (!description.library.empty()) {
    TorchLibrary& library = open_library(description.library);
    unlock_loops(library);
    const auto found = library.operators.find(description.name);
    if (found != library.operators.end()) return *found->second;
  }
  auto* made = new TorchOperator;  // never freed: torch may hold a function of it
  made->description = std::move(description);
  return *made;
}

PyTypeObject* add_type(PyObject* module, const char* name, PyType_Spec& spec) {
  PyObject* type = require(PyType_FromSpec(&spec));
  require_no_error(PyModule_AddObjectRef(module, name, type));
  return reinterpret_cast<PyTypeObject*>(type);
}

}  // namespace

PyObject* make_operator(const std::string& name) {
  TorchOperator& op = find_operator(name);
  op.is_removed = false;
  auto* object =
      reinterpret_cast<OperatorObject*>(require(operator_type->tp_alloc(operator_type, 0)));
  object->op = &op;
  return reinterpret_cast<PyObject*>(object);
}

void add_operator_types(PyObject* module) {
  operator_type = add_type(module, "Operator", operator_spec);
  registration_type = add_type(module, "Registration", registration_spec);
}

}  // namespace opwright::torch_bridge
