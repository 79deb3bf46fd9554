#include "bindings/pytree/class_lookup.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/pytree/pytree.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

constexpr std::string_view kWhat = "the structure of the program's call has the class ";

std::string attribute_text(nb::handle object, const char* name) {
  const nb::object found = nb::steal(PyObject_GetAttrString(object.ptr(), name));
  if (!found.is_valid()) PyErr_Clear();
  return found.is_valid() && PyUnicode_Check(found.ptr()) ? nb::cast<std::string>(found) : "?";
}

// Attributes of the class or module itself, without __getattr__.
nb::object own_member(nb::handle owner, const std::string& name) {
  nb::object members;
  if (PyModule_Check(owner.ptr())) members = nb::borrow(PyModule_GetDict(owner.ptr()));
  if (PyType_Check(owner.ptr())) {
    auto* type = reinterpret_cast<PyTypeObject*>(owner.ptr());
#if PY_VERSION_HEX >= 0x030c0000
    members = nb::steal(PyType_GetDict(type));
#else
    members = nb::borrow(type->tp_dict);
#endif
  }
  if (!members.is_valid()) return {};
  return nb::borrow(PyDict_GetItemString(members.ptr(), name.c_str()));
}

nb::object walk_attributes(nb::handle module, std::string_view path) {
  nb::object found = nb::borrow(module);
  while (found.is_valid() && !path.empty()) {
    const size_t dot = path.find('.');
    found = own_member(found, std::string(path.substr(0, dot)));
    path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  }
  return found;
}

void check_class_kind(nb::handle type, const std::string& name, TreeKind kind,
                      const nb::object& fields) {
  auto* python_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  if (kind == TreeKind::Registered) {
    if (is_registered_class(python_type)) return;
    throw_error("ImportError", kWhat, name,
                ", which is not registered; call opwright.pytree.register_pytree_node with it, as "
                "the program that exported it did");
  }
  const nb::object actual = fields_of_class(python_type, kind);
  if (actual.is_valid() && actual.equal(fields)) return;
  throw_error("ImportError", kWhat, name, " as a ",
              kind == TreeKind::NamedTuple ? "named tuple" : "dataclass", " with the fields ",
              nb::cast<std::string>(nb::str(fields)),
              ", which it is not any more; export the program again");
}

}  // namespace

std::string class_place(nb::handle type) {
  return concatenate(attribute_text(type, "__module__"), ":", attribute_text(type, "__qualname__"));
}

nb::object find_class(const std::string& place, TreeKind kind, const nb::object& fields) {
  const size_t colon = place.find(':');
  const std::string module_name = place.substr(0, colon);
  const std::string path = colon == std::string::npos ? "" : place.substr(colon + 1);
  const std::string name = concatenate(path, " of the module ", module_name);
  if (module_name == "opwright.return_types") nb::module_::import_(module_name.c_str());
  const nb::object module =
      nb::borrow(PyDict_GetItemString(PyImport_GetModuleDict(), module_name.c_str()));
  if (!module.is_valid()) {
    throw_error("ImportError", kWhat, name, ", which is not imported; import ", module_name,
                " before the program is called");
  }
  const nb::object found = walk_attributes(module, path);
  if (!found.is_valid() || !PyType_Check(found.ptr())) {
    throw_error("ImportError", kWhat, name,
                ", which has no such class; define it there before the program is called");
  }
  check_class_kind(found, name, kind, fields);
  return found;
}

}  // namespace opwright::python
