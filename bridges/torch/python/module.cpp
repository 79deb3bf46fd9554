// The extension module opwright._torch: the part of the bridge to torch that uses Python.
#include <string>

#include "bridges/torch/python/errors.h"
#include "bridges/torch/python/fast_path.h"
#include "bridges/torch/python/hooks.h"
#include "bridges/torch/python/opaque_object.h"
#include "bridges/torch/python/operator_object.h"
#include "bridges/torch/python/python_call.h"
#include "bridges/torch/python/reference.h"
#include "bridges/torch/python/rule.h"
#include "bridges/torch/torch_operator.h"

namespace opwright::torch_bridge {
namespace {

const char* required_text(PyObject* object) {
  const char* text = PyUnicode_AsUTF8(object);
  if (!text) throw take_python_error();
  return text;
}

PyObject* open_library_from_python(PyObject* /*module*/, PyObject* path) {
  return raising([&] {
    TorchLibrary& library = open_library(required_text(path));
    unlock_loops(library);
    Reference names = require_new(PyList_New(0));
    for (const std::string& each : library.contents.operators) {
      const Reference name = require_new(PyUnicode_FromString(each.c_str()));
      require_no_error(PyList_Append(names.get(), name.get()));
    }
    return names.give();
  });
}

PyObject* make_operator_from_python(PyObject* /*module*/, PyObject* name) {
  return raising([&] { return make_operator(required_text(name)); });
}

PyObject* set_resolver_from_python(PyObject* /*module*/, PyObject* resolver) {
  return raising([&] {
    set_resolver(resolver);
    return Py_NewRef(Py_None);
  });
}

PyMethodDef methods[] = {
    {"open_library", open_library_from_python, METH_O,
     "open_library(path)\n--\n\nOpen an operator binary for torch; return the names that it "
     "defines."},
    {"make_operator", make_operator_from_python, METH_O,
     "make_operator(name)\n--\n\nReturn the Operator of that name in Opwright's registry."},
    {"set_resolver", set_resolver_from_python, METH_O,
     "set_resolver(resolver)\n--\n\nSet what finds the callable of an operator of torch by its "
     "name."},
    {nullptr, nullptr, 0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "opwright._torch",
                          "The part of the bridge to torch that uses Python.",
                          -1,
                          methods,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace
}  // namespace opwright::torch_bridge

// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): Python looks for it
PyMODINIT_FUNC PyInit__torch() {
  using namespace opwright::torch_bridge;  // NOLINT(google-build-using-namespace): a C function
  return raising([] {
    Reference module = require_new(PyModule_Create(&definition));
    add_declined_class(module.get());
    add_rule_type(module.get());
    add_function_type(module.get());
    add_fast_type(module.get());
    add_operator_types(module.get());
    install_hooks();
    return module.give();
  });
}
