#include "bindings/operator/operator_namespace.h"

#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>
#include <structmember.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/python_type.h"
#include "bindings/operator/operator_packet.h"
#include "bindings/operator/operator_text.h"
#include "opwright/base/suggest.h"
#include "opwright/dispatch/registry.h"

namespace opwright::python {
namespace {

// opwright.ops.aten. Its dict caches packets until the registry changes.
struct NamespaceObject {
  PyObject_HEAD std::string* name;
  PyObject* dict;
  uint64_t epoch;
};
// opwright.ops. Its dict caches namespaces.
struct RootObject {
  PyObject_HEAD PyObject* dict;
};

PyTypeObject* namespace_type = nullptr;
PyTypeObject* root_type = nullptr;
// Operators of other packages that are Python functions here, by "namespace::base".
PyObject* python_operators = nullptr;

bool has_plain_name(const char* attribute) {
  return attribute && std::string_view(attribute).substr(0, 2) != "__";
}

std::vector<std::string> bases_of(const std::string& name_space) {
  std::vector<std::string> bases;
  for (const Operator* op : Registry::get().list(name_space)) {
    const std::string& base = op->schema().name.base;
    if (bases.empty() || bases.back() != base) bases.push_back(base);
  }
  return bases;
}

[[noreturn]] void throw_no_operator(const std::string& name_space, const char* wanted) {
  const std::vector<std::string> bases = bases_of(name_space);
  std::string text = bases.empty()
                         ? concatenate("no operator of the namespace '", name_space, "' is defined")
                         : concatenate("there is no operator ", name_space, "::", wanted);
  const std::vector<std::string> meant =
      bases.empty() ? closest_names(name_space, list_namespaces()) : closest_names(wanted, bases);
  for (size_t i = 0; i < meant.size(); ++i)
    text += concatenate(i == 0 ? "; did you mean '" : " or '", meant[i], "'");
  text += meant.empty() ? "" : "?";
  text += "\n  If it comes from an operator binary, load it first: opwright.load_library(\"lib";
  throw Error("AttributeError", text + name_space + ".so\").");
}

PyObject* namespace_getattr(PyObject* object, PyObject* attribute) {
  auto* self = reinterpret_cast<NamespaceObject*>(object);
  if (self->epoch != registry_epoch()) [[unlikely]] {
    if (self->dict) PyDict_Clear(self->dict);
    self->epoch = registry_epoch();
  }
  PyObject* found = PyObject_GenericGetAttr(object, attribute);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  const char* wanted = PyUnicode_AsUTF8(attribute);
  if (!wanted) return nullptr;
  const std::string name = concatenate(*self->name, "::", wanted);
  // Python asks for many such names; few are operators, as `__and__` is.
  if (!has_plain_name(wanted) && Registry::get().overloads(name).empty()) return nullptr;
  PyErr_Clear();
  return guarded([&] {
    if (PyObject* known = PyDict_GetItemString(python_operators, name.c_str())) {
      return Py_NewRef(known);
    }
    if (Registry::get().overloads(name).empty()) throw_no_operator(*self->name, wanted);
    PyObject* packet = packet_object(name);
    require_no_error(PyObject_GenericSetAttr(object, attribute, packet));
    return Py_NewRef(packet);
  });
}

PyObject* namespace_dir(PyObject* object, PyObject* /*unused*/) {
  return guarded(
      [&] { return new_list(bases_of(*reinterpret_cast<NamespaceObject*>(object)->name)); });
}

PyObject* namespace_repr(PyObject* object) {
  return PyUnicode_FromFormat("<operators of %s>",
                              reinterpret_cast<NamespaceObject*>(object)->name->c_str());
}

PyObject* root_getattr(PyObject* object, PyObject* attribute) {
  PyObject* found = PyObject_GenericGetAttr(object, attribute);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  const char* wanted = PyUnicode_AsUTF8(attribute);
  if (!has_plain_name(wanted)) return nullptr;
  PyErr_Clear();
  return guarded([&] {
    auto* made = PyObject_New(NamespaceObject, namespace_type);
    if (!made) throw_python_error();
    made->name = new std::string(wanted);
    made->dict = nullptr;
    made->epoch = 0;
    auto* result = reinterpret_cast<PyObject*>(made);
    require_no_error(PyObject_GenericSetAttr(object, attribute, result));
    return result;
  });
}

// Deleting a namespace forgets its object, as in PyTorch; its operators stay defined.
int root_setattr(PyObject* object, PyObject* attribute, PyObject* value) {
  if (PyObject_GenericSetAttr(object, attribute, value) == 0) return 0;
  if (value || !PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
  PyErr_Clear();
  return 0;
}

PyObject* root_load_library(PyObject* /*object*/, PyObject* path) {
  return guarded([&] {
    const nanobind::module_ package = nanobind::module_::import_("opwright");
    return package.attr("load_library")(nanobind::handle(path)).release().ptr();
  });
}

PyObject* root_dir(PyObject* /*object*/, PyObject* /*unused*/) {
  return guarded([&] { return new_list(list_namespaces()); });
}

PyObject* namespace_iter(PyObject* object) {
  const nanobind::object names = nanobind::steal(namespace_dir(object, nullptr));
  return names.is_valid() ? PyObject_GetIter(names.ptr()) : nullptr;
}

PyMethodDef namespace_methods[] = {{"__dir__", &namespace_dir, METH_NOARGS, nullptr}, {}};
PyMemberDef namespace_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(NamespaceObject, dict), READONLY, nullptr}, {}};
PyType_Slot namespace_slots[] = {{Py_tp_getattro, reinterpret_cast<void*>(namespace_getattr)},
                                 {Py_tp_repr, reinterpret_cast<void*>(namespace_repr)},
                                 {Py_tp_iter, reinterpret_cast<void*>(namespace_iter)},
                                 {Py_tp_methods, namespace_methods},
                                 {Py_tp_members, namespace_members},
                                 {0, nullptr}};
PyType_Spec namespace_spec = {"opwright.OperatorNamespace", sizeof(NamespaceObject), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                              namespace_slots};
PyMethodDef root_methods[] = {
    {"__dir__", &root_dir, METH_NOARGS, nullptr},
    {"load_library", &root_load_library, METH_O, "Load an operator binary: opwright.load_library."},
    {}};
PyMemberDef root_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(RootObject, dict), READONLY, nullptr}, {}};
PyType_Slot root_slots[] = {{Py_tp_getattro, reinterpret_cast<void*>(root_getattr)},
                            {Py_tp_setattro, reinterpret_cast<void*>(root_setattr)},
                            {Py_tp_methods, root_methods},
                            {Py_tp_members, root_members},
                            {0, nullptr}};
PyType_Spec root_spec = {"opwright.OperatorNamespaces", sizeof(RootObject), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, root_slots};

}  // namespace

void add_namespace_types(PyObject* module) {
  namespace_type = add_type(module, namespace_spec);
  root_type = add_type(module, root_spec);
  auto* root = PyObject_New(RootObject, root_type);
  if (!root) throw_python_error();
  root->dict = nullptr;
  python_operators = PyDict_New();
  if (!python_operators) throw_python_error();
  require_no_error(PyModule_AddObjectRef(module, "python_operators", python_operators));
  require_no_error(PyModule_AddObjectRef(module, "ops", reinterpret_cast<PyObject*>(root)));
}

}  // namespace opwright::python
