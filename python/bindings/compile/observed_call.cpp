// What ReadObserver notes of a call: Python functions are observed themselves, C functions are
// known to only compute from their arguments, or end the graph.
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/compile/compiled_function.h"
#include "bindings/compile/read_observer.h"
#include "bindings/compile/type_kind.h"
#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/tensor_object.h"
#include "bindings/pytree/object_guard.h"
#include "bindings/pytree/pytree.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// "time.time", "list.append"
std::string callable_name(PyObject* callable) {
  const auto text_of = [&](const char* attribute) {
    const nb::object found = nb::steal(PyObject_GetAttrString(callable, attribute));
    PyErr_Clear();
    const char* text =
        found.is_valid() && PyUnicode_Check(found.ptr()) ? PyUnicode_AsUTF8(found.ptr()) : nullptr;
    return std::string(text ? text : "");
  };
  const std::string module = text_of("__module__");
  std::string name = text_of("__qualname__");
  if (name.empty()) return concatenate("a ", Py_TYPE(callable)->tp_name);
  return module.empty() || module == "builtins" ? name : concatenate(module, ".", name);
}

bool is_lru_cache(PyObject* callable) {
  return std::strcmp(Py_TYPE(callable)->tp_name, "functools._lru_cache_wrapper") == 0;
}

// The module that a class in C belongs to: the part before the last dot of its name.
std::string module_of(PyTypeObject* type) {
  const std::string_view name = type->tp_name;
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? "builtins" : std::string(name.substr(0, dot));
}

bool is_method_of_object(const char* name, std::string_view wanted) { return wanted == name; }

}  // namespace

void ReadObserver::note_arguments(Objects args) {
  for (PyObject* arg : args) {
    if (!is_active_) return;
    if (kind_of(Py_TYPE(arg)) == TypeKind::Instance && is_old(arg) && !is_nn_module(arg) &&
        is_tree_node(arg)) {
      read_all_attributes(arg);
    } else if (PyCFunction_Check(arg)) {  // map(time.time, ...)
      note_native_call(arg, {});
    } else {
      read_deep(arg, 0);
    }
  }
}

void ReadObserver::note_call(PyObject* callable, Objects args, PyObject* keyword_names) {
  if (PyMethod_Check(callable)) {
    std::vector<PyObject*> all{PyMethod_GET_SELF(callable)};
    all.insert(all.end(), args.begin(), args.end());
    return note_call(PyMethod_GET_FUNCTION(callable), all, keyword_names);
  }
  if (PyFunction_Check(callable)) {
    if (is_package_globals(PyFunction_GET_GLOBALS(callable))) note_arguments(args);
    return;  // otherwise its instructions are observed
  }
  if (is_lru_cache(callable) || PyWeakref_Check(callable))
    return note_cached_call(callable, args, keyword_names);
  if (PyType_Check(callable))
    return note_class_call(reinterpret_cast<PyTypeObject*>(callable), args);
  if (PyCFunction_Check(callable)) return note_native_call(callable, args);
  PyTypeObject* type = Py_TYPE(callable);
  if (type == &PyMethodDescr_Type || type == &PyWrapperDescr_Type ||
      type == &PyClassMethodDescr_Type) {
    const auto* descriptor = reinterpret_cast<PyDescrObject*>(callable);
    if (args.empty()) return;
    return note_method(args[0], PyUnicode_AsUTF8(descriptor->d_name), args.subspan(1), callable);
  }
  const std::string_view name = type->tp_name;
  if (name == "method-wrapper") {
    const nb::object self = own(PyObject_GetAttrString(callable, "__self__"));
    const nb::object wrapped = own(PyObject_GetAttrString(callable, "__name__"));
    return note_method(self.ptr(), PyUnicode_AsUTF8(wrapped.ptr()), args, callable);
  }
  if (name == "functools.partial") {
    const nb::object function = own(PyObject_GetAttrString(callable, "func"));
    const nb::object held = own(PyObject_GetAttrString(callable, "args"));
    std::vector<PyObject*> all;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(held.ptr()); ++i)
      all.push_back(PyTuple_GET_ITEM(held.ptr(), i));
    all.insert(all.end(), args.begin(), args.end());
    return note_call(function.ptr(), all, keyword_names);
  }
  if (name.starts_with("operator.")) {
    for (PyObject* arg : args) {
      if (kind_of(Py_TYPE(arg)) == TypeKind::Instance) read_all_attributes(arg);
    }
    return note_arguments(args);
  }
  switch (kind_of(type)) {
    case TypeKind::Package:
      return note_arguments(args);
    case TypeKind::Instance: {
      if (is_nn_module(callable)) {
        if (is_old(callable)) state_.watch_module(callable, name_of(callable));
        return;  // its forward pass is observed
      }
      PyObject* call = _PyType_Lookup(type, nb::str("__call__").ptr());
      read_class_attribute(type, nb::str("__call__").ptr());
      if (call && PyFunction_Check(call)) return;
      break;
    }
    case TypeKind::Constant:
      if (std::string_view(type->tp_name).starts_with("numpy.")) return note_arguments(args);
      break;
    default:
      break;
  }
  if (kind_of(type) == TypeKind::Unknown && is_pure_module(module_of(type).c_str()))
    return note_arguments(args);
  end(concatenate("it calls ", callable_name(callable), ", whose effects are not known"));
}

void ReadObserver::note_class_call(PyTypeObject* type, Objects args) {
  const TypeKind kind = kind_of(type);
  if (kind == TypeKind::Class && args.size() == 1) {  // type(x)
    if (is_old(args[0])) reads_.add_class_of(args[0], name_of(args[0]));
    return;
  }
  const bool is_python = PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) && kind == TypeKind::Instance;
  if (is_python) return;  // its constructor is observed
  const bool is_pure = kind == TypeKind::Constant || kind == TypeKind::Package ||
                       kind == TypeKind::Tuple || kind == TypeKind::Instance ||
                       is_container(kind) || is_pure_module(module_of(type).c_str());
  if (!is_pure)
    return end(concatenate("it creates a ", type->tp_name, ", whose effects are not known"));
  if (module_of(type) == "weakref" && !args.empty() && is_tensor(args[0]))
    return end("it creates a weak reference to a tensor, which stands for its identity");
  note_arguments(args);
}

void ReadObserver::note_native_call(PyObject* function, Objects args) {
  PyObject* self = PyCFunction_GET_SELF(function);
  const char* name = reinterpret_cast<PyCFunctionObject*>(function)->m_ml->ml_name;
  if (self && !PyModule_Check(self)) return note_method(self, name, args, function);
  PyObject* module = reinterpret_cast<PyCFunctionObject*>(function)->m_module;
  const char* module_name = module && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : "";
  const std::string_view text = module_name;
  const bool is_builtin = text == "builtins";
  const auto is = [&](std::string_view wanted) { return is_builtin && wanted == name; };
  const bool is_intern = text == "sys" && std::string_view(name) == "intern";
  if ((!is_pure_module(module_name) && !is_intern) || (is_builtin && has_effects(name)))
    return end(concatenate("it calls ", callable_name(function), ", whose effects are not known"));
  if (is("isinstance") || is("issubclass") || is("callable")) {
    if (!args.empty() && is_old(args[0]) && !PyType_Check(args[0]) && !is_tensor(args[0]) &&
        kind_of(Py_TYPE(args[0])) == TypeKind::Instance)
      reads_.add_class_of(args[0], name_of(args[0]));
    return;
  }
  if ((is("getattr") || is("hasattr") || is("setattr") || is("delattr")) && args.size() >= 2) {
    if (!PyUnicode_Check(args[1])) return;
    last_.name = concatenate(name_of(args[0]), ".", PyUnicode_AsUTF8(args[1]));
    return read_attribute(args[0], args[1], is("setattr") || is("delattr"));
  }
  if ((is("hash") || is("id")) && args.size() == 1 && holds_tensor(args[0]))
    return end(concatenate("it calls ", name, "() of a tensor, which stands for its identity"));
  if (is("vars") || is("dir")) {
    for (PyObject* arg : args) read_all_attributes(arg);
    return;
  }
  note_arguments(args);
}

void ReadObserver::note_method(PyObject* self, const char* name, Objects args, PyObject* callable) {
  const TypeKind kind = kind_of(Py_TYPE(self));
  switch (kind) {
    case TypeKind::Dict:
    case TypeKind::Set:
      if (is_old(self) && !args.empty() && holds_tensor(args[0]))
        return end(concatenate("it uses a tensor as a key of ", name_of(self)));
      [[fallthrough]];
    case TypeKind::List:
    case TypeKind::OrderedDict:
    case TypeKind::Sequence:
    case TypeKind::Buffer:
    case TypeKind::Iterator:
      read_contents(self);
      break;
    case TypeKind::Unknown:
      if (is_old(self))
        return end(
            concatenate("it calls ", callable_name(callable), ", whose effects are not known"));
      break;
    case TypeKind::Class:
      if (!is_pure_module(module_of(reinterpret_cast<PyTypeObject*>(self)).c_str()) &&
          !PyType_HasFeature(reinterpret_cast<PyTypeObject*>(self), Py_TPFLAGS_HEAPTYPE))
        return end(
            concatenate("it calls ", callable_name(callable), ", whose effects are not known"));
      break;
    case TypeKind::Instance: {
      const bool is_set = is_method_of_object(name, "__setattr__");
      if ((is_set || is_method_of_object(name, "__delattr__") ||
           is_method_of_object(name, "__getattribute__")) &&
          !args.empty() && PyUnicode_Check(args[0]))
        return read_attribute(self, args[0], is_set);
      if (std::string_view(name).starts_with("__reduce") ||
          is_method_of_object(name, "__getstate__") || is_method_of_object(name, "__dir__"))
        read_all_attributes(self);
      break;
    }
    default:
      break;
  }
  if (is_active_ && kind != TypeKind::Lock) note_arguments(args);
}

// The cache answers before the function is captured, outside of the trace, so that it never holds a
// traced value; and its answer is guarded.
void ReadObserver::note_cached_call(PyObject* callable, Objects args, PyObject* keyword_names) {
  const std::string name = callable_name(callable);
  const auto is_unfit = [&](PyObject* arg) {
    return holds_tensor(arg) || (!is_old(arg) && !is_plain_value(arg));
  };
  for (PyObject* arg : args) {
    if (is_unfit(arg))
      return end(concatenate("it calls ", name,
                             ", which keeps results (functools.lru_cache), with a tensor or a new "
                             "object"));
  }
  const Py_ssize_t num_keywords = keyword_names ? PyTuple_GET_SIZE(keyword_names) : 0;
  const size_t num_positional = args.size() - static_cast<size_t>(num_keywords);
  const nb::object positional = own(PyTuple_New(static_cast<Py_ssize_t>(num_positional)));
  for (size_t i = 0; i < num_positional; ++i)
    PyTuple_SET_ITEM(positional.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(args[i]));
  nb::object keywords;
  if (num_keywords != 0) keywords = own(PyDict_New());
  for (Py_ssize_t i = 0; i < num_keywords; ++i)
    require_no_error(PyDict_SetItem(keywords.ptr(), PyTuple_GET_ITEM(keyword_names, i),
                                    args[num_positional + static_cast<size_t>(i)]));
  const InterpreterScope eager(nullptr);
  const nb::object result =
      nb::steal(PyObject_Call(callable, positional.ptr(), keywords.ptr()));  // null: it raises
  PyErr_Clear();
  if (!result.is_valid()) return;
  const nb::object again = nb::steal(PyObject_Call(callable, positional.ptr(), keywords.ptr()));
  PyErr_Clear();
  if (!again.is_valid() || again.ptr() != result.ptr())
    return end(concatenate("it calls ", name, ", whose results are not kept"));
  const std::string text = concatenate(name, "(...)");
  give_name(result.ptr(), text);
  reads_.add_call(callable, positional.ptr(), keywords.ptr(), result.ptr(), text);
}

}  // namespace opwright::python
