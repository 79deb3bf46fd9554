// ClassGuard: what a captured function found on a class, and how ReadGuards collects it.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/compile/read_guards.h"
#include "bindings/compile/state_version.h"
#include "bindings/compile/type_kind.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// Interned names of the methods that instructions and C functions find on a class.
const std::vector<PyObject*>& special_names() {
  static const auto* names = [] {
    auto* all = new std::vector<PyObject*>;
    for (const char* name : {"new",
                             "init",
                             "call",
                             "init_subclass",
                             "class_getitem",
                             "mro_entries",
                             "getattr",
                             "getattribute",
                             "setattr",
                             "delattr",
                             "dir",
                             "get",
                             "set",
                             "delete",
                             "repr",
                             "str",
                             "format",
                             "bytes",
                             "hash",
                             "bool",
                             "len",
                             "length_hint",
                             "iter",
                             "next",
                             "reversed",
                             "contains",
                             "getitem",
                             "setitem",
                             "delitem",
                             "missing",
                             "enter",
                             "exit",
                             "lt",
                             "le",
                             "eq",
                             "ne",
                             "gt",
                             "ge",
                             "neg",
                             "pos",
                             "abs",
                             "invert",
                             "int",
                             "float",
                             "complex",
                             "index",
                             "round",
                             "trunc",
                             "floor",
                             "ceil",
                             "divmod",
                             "rdivmod",
                             "instancecheck",
                             "subclasscheck",
                             "match_args",
                             "copy",
                             "deepcopy",
                             "reduce",
                             "reduce_ex",
                             "getstate",
                             "getnewargs",
                             "getnewargs_ex",
                             "array",
                             "array_ufunc",
                             "array_function",
                             "array_interface",
                             "array_struct",
                             "array_wrap",
                             "array_finalize",
                             "array_priority"})
      all->push_back(PyUnicode_InternFromString(concatenate("__", name, "__").c_str()));
    for (const char* operation : {"add", "sub", "mul", "matmul", "truediv", "floordiv", "mod",
                                  "pow", "lshift", "rshift", "and", "or", "xor"}) {
      for (const char* form : {"", "r", "i"})
        all->push_back(
            PyUnicode_InternFromString(concatenate("__", form, operation, "__").c_str()));
    }
    return all;
  }();
  return *names;
}

nb::object keep_found(PyObject* found) { return found ? nb::borrow(found) : nb::object(); }

PyObject* order_of(PyObject* type) { return reinterpret_cast<PyTypeObject*>(type)->tp_mro; }

}  // namespace

PyObject* ClassGuard::find(PyObject* type, PyObject* name) {
  return _PyType_Lookup(reinterpret_cast<PyTypeObject*>(type), name);
}

bool ClassGuard::holds() const {
  const unsigned int now = class_version(object.ptr());
  if (now != 0 && now == version) [[likely]]
    return true;
  for (const Attribute& each : attributes) {
    if (!each.value.holds(find(object.ptr(), each.name.ptr()))) return false;
  }
  if (bases.is_valid() && order_of(object.ptr()) != bases.ptr()) return false;
  for (size_t i = 0; i < special_methods.size(); ++i) {
    if (find(object.ptr(), special_names()[i]) != special_methods[i].ptr()) return false;
  }
  version = class_version(object.ptr());
  return true;
}
std::string ClassGuard::difference() const {
  const char* type = reinterpret_cast<PyTypeObject*>(object.ptr())->tp_name;
  if (bases.is_valid() && order_of(object.ptr()) != bases.ptr())
    return concatenate(type, " has other bases");
  for (size_t i = 0; i < special_methods.size(); ++i) {
    if (find(object.ptr(), special_names()[i]) != special_methods[i].ptr())
      return concatenate(type, " has another ", PyUnicode_AsUTF8(special_names()[i]));
  }
  for (const Attribute& each : attributes) {
    PyObject* now = find(object.ptr(), each.name.ptr());
    if (!each.value.holds(now)) return each.value.difference(now);
  }
  return "";
}
void ClassGuard::add_text(std::string& text) const {
  for (const Attribute& each : attributes) {
    PyObject* value = each.value.value.ptr();  // methods are listed as functions
    const std::string line = value && !PyFunction_Check(value) ? each.value.text() : "";
    if (!line.empty()) text += line + "\n";
  }
}

ClassGuard& ReadGuards::guard_of_class(PyObject* type) {
  auto& guards = all<ClassGuard>();
  const auto [found, is_first] = classes_.try_emplace(type, guards.size());
  if (!is_first) return guards[found->second];
  ClassGuard guard;
  guard.object = nb::borrow(type);
  guards.push_back(std::move(guard));
  return guards.back();
}

void ReadGuards::add_class_attribute(PyTypeObject* type, PyObject* attribute,
                                     const std::string& name) {
  auto* object = reinterpret_cast<PyObject*>(type);
  if (!is_new(object, attribute)) return;
  ClassGuard& guard = guard_of_class(object);
  guard.attributes.push_back(
      {nb::borrow(attribute), {name, keep_found(ClassGuard::find(object, attribute))}});
}

bool ReadGuards::add_special_methods(PyTypeObject* type) {
  auto* object = reinterpret_cast<PyObject*>(type);
  ClassGuard& guard = guard_of_class(object);
  if (!guard.special_methods.empty()) return true;
  guard.bases = keep_found(order_of(object));
  bool are_observed = true;
  for (PyObject* name : special_names()) {
    PyObject* found = ClassGuard::find(object, name);
    guard.special_methods.push_back(keep_found(found));
    are_observed = are_observed && !(found && is_result_cache(found));
  }
  return are_observed;
}

}  // namespace opwright::python
