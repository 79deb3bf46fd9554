#include "bindings/operator/named_results.h"

#include <algorithm>
#include <map>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/interpreter/error.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/registry.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

std::vector<std::string> result_names_of(const Operator& op) {
  const auto& returns = op.schema().returns;
  std::vector<std::string> names;
  const bool is_internal = op.schema().name.base.starts_with('_');
  if (returns.size() < 2 || is_internal || !is_builtin(op)) return names;
  for (const Return& each : returns) {
    if (each.name.empty()) return {};
    names.push_back(each.name);
  }
  return names;
}

// {"max": ("values", "indices"), ...} of the operators of the core.
PyObject* list_result_names(PyObject* /*module*/, PyObject* /*unused*/) {
  return guarded([] {
    nb::dict found;
    for (const Operator* op : Registry::get().list("aten")) {
      const std::vector<std::string> names = result_names_of(*op);
      const nb::str base(op->schema().name.base.c_str());
      if (names.empty() || found.contains(base)) continue;
      nb::list fields;
      for (const std::string& each : names) fields.append(nb::str(each.c_str()));
      found[base] = nb::tuple(fields);
    }
    return found.release().ptr();
  });
}

PyMethodDef functions[] = {{"result_names", &list_result_names, METH_NOARGS,
                            "The names of the results of each operator whose results have names."},
                           {}};

PyTypeObject* class_of(const std::string& base) {
  static auto* classes = new std::map<std::string, PyTypeObject*>;  // under the GIL
  PyTypeObject*& type = (*classes)[base];
  if (!type) {
    const nb::object found = nb::module_::import_("opwright.return_types").attr(base.c_str());
    type = reinterpret_cast<PyTypeObject*>(Py_NewRef(found.ptr()));
  }
  return type;
}

}  // namespace

void add_named_results(PyObject* module) {
  require_no_error(PyModule_AddFunctions(module, functions));
}

std::vector<std::string> result_names(std::span<const BindingPlan* const> overloads) {
  for (const BindingPlan* plan : overloads) {
    std::vector<std::string> names = result_names_of(plan->op());
    if (!names.empty()) return names;
  }
  return {};
}

PyObject* name_results(PyObject* tuple, const std::string& base) noexcept {
  const nb::object plain = nb::steal(tuple);
  return guarded([&] {
    const Py_ssize_t count = PyTuple_GET_SIZE(tuple);
    PyTypeObject* type = class_of(base);
    PyObject* named = require(type->tp_alloc(type, count));
    for (Py_ssize_t i = 0; i < count; ++i)
      PyTuple_SET_ITEM(named, i, Py_NewRef(PyTuple_GET_ITEM(tuple, i)));
    return named;
  });
}

}  // namespace opwright::python
