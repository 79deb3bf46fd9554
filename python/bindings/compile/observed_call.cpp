// What ReadObserver notes of a call: Python functions are observed themselves, C functions are
// known to only compute from their arguments, or end the graph.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/compile/compiled_function.h"
#include "bindings/compile/observed_name.h"
#include "bindings/compile/read_observer.h"
#include "bindings/compile/type_kind.h"
#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/tensor_object.h"
#include "bindings/pytree/object_guard.h"
#include "bindings/pytree/pytree.h"
#include "opwright/base/warning.h"
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
    PyErr_Clear();
    return std::string(text ? text : "");
  };
  const std::string module = text_of("__module__");
  std::string name = text_of("__qualname__");
  if (name.empty()) return concatenate("a ", Py_TYPE(callable)->tp_name);
  return module.empty() || module == "builtins" ? name : concatenate(module, ".", name);
}

// "Tensor" of "opwright.Tensor"
std::string_view last_part(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

// The module that a class in C belongs to: the part before the last dot of its name.
std::string module_of(PyTypeObject* type) {
  const std::string_view name = type->tp_name;
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? "builtins" : std::string(name.substr(0, dot));
}

// Whether code of this package reads attributes of its instances.
bool is_derived_from_package(PyTypeObject* type) {
  PyObject* classes = type->tp_mro;
  for (Py_ssize_t i = 0; classes && i < PyTuple_GET_SIZE(classes); ++i) {
    if (is_package_type(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(classes, i)))) return true;
  }
  return false;
}

bool is_partial(PyObject* callable) {
  return std::strcmp(Py_TYPE(callable)->tp_name, "functools.partial") == 0;
}

// operator.attrgetter and operator.methodcaller, which read attributes of their arguments.
bool is_attribute_getter(PyObject* callable) {
  const std::string_view name = Py_TYPE(callable)->tp_name;
  return name == "operator.attrgetter" || name == "operator.methodcaller";
}

// Whether a built-in function reads attributes of its arguments.
bool is_attribute_function(std::string_view name) {
  return name == "getattr" || name == "hasattr" || name == "setattr" || name == "delattr" ||
         name == "vars" || name == "dir";
}

// Whether numpy reads the time for one of the arguments: numpy.datetime64("now").
bool holds_clock_word(PyObject* value, int depth = 0) {
  if (PyUnicode_Check(value)) {
    std::string text = observed_text(value);
    for (char& letter : text)
      letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return text == "now" || text == "today";
  }
  constexpr int kMostDepth = 8;
  if ((!PyList_Check(value) && !PyTuple_Check(value)) || depth == kMostDepth) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
    if (holds_clock_word(PySequence_Fast_GET_ITEM(value, i), depth + 1)) return true;
  }
  return false;
}

nb::object tuple_of(std::span<PyObject* const> objects) {
  nb::object all = own(PyTuple_New(static_cast<Py_ssize_t>(objects.size())));
  for (size_t i = 0; i < objects.size(); ++i)
    PyTuple_SET_ITEM(all.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(objects[i]));
  return all;
}

bool is_method_of_object(const char* name, std::string_view wanted) { return wanted == name; }

}  // namespace

void ReadObserver::note_arguments(Objects args) {
  for (PyObject* arg : args) {
    if (!is_active_) return;
    const bool is_instance =
        kind_of(Py_TYPE(arg)) == TypeKind::Instance && is_old(arg) && !is_nn_module(arg);
    if (is_instance && is_tree_node(arg)) {
      read_all_attributes(arg);
    } else if (is_instance && is_derived_from_package(Py_TYPE(arg))) {  // an optimizer
      end(concatenate("it calls code of this package that uses the state of ", name_of(arg)));
    } else {
      note_callable_argument(arg);
      if (is_active_) read_deep(arg, 0);
    }
  }
}

// A callable that is passed on to a C function, which may call it: map(time.time, ...). The
// instructions of Python functions are observed.
void ReadObserver::note_callable_argument(PyObject* callable) {
  const std::string_view type = Py_TYPE(callable)->tp_name;
  if (PyMethod_Check(callable)) return note_callable_argument(PyMethod_GET_FUNCTION(callable));
  if (PyType_Check(callable))
    return read_special_methods(reinterpret_cast<PyTypeObject*>(callable));
  if (is_partial(callable)) {
    if (is_old(callable)) read_partial(callable);
    const nb::object function = own(PyObject_GetAttrString(callable, "func"));
    return note_callable_argument(function.ptr());
  }
  const bool is_builtin = PyCFunction_Check(callable);
  const char* name =
      is_builtin ? reinterpret_cast<PyCFunctionObject*>(callable)->m_ml->ml_name : "";
  if (is_result_cache(callable) || is_attribute_getter(callable) || is_attribute_function(name) ||
      (type == "method-wrapper" && callable_name(callable).ends_with("__getattribute__")) ||
      (type == "method-wrapper" && callable_name(callable).ends_with("__get__")))
    return end(concatenate("it passes on ", callable_name(callable),
                           ", which reads what cannot be observed"));
  if (is_builtin) return note_native_call(callable, {});
  if (type == "method-wrapper") note_call(callable, {}, nullptr);
}

void ReadObserver::note_call(PyObject* callable, Objects args, PyObject* keyword_names) {
  if (PyMethod_Check(callable)) {
    std::vector<PyObject*> all{PyMethod_GET_SELF(callable)};
    all.insert(all.end(), args.begin(), args.end());
    return note_call(PyMethod_GET_FUNCTION(callable), all, keyword_names);
  }
  if (PyFunction_Check(callable)) {
    auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(callable));
    const bool is_package = is_package_globals(PyFunction_GET_GLOBALS(callable));
    if (is_package && note_package_setting(callable, args, keyword_names)) return;
    if (is_package || makes_tuple_class(code)) note_arguments(args);
    return;  // otherwise its instructions are observed
  }
  if (is_result_cache(callable)) return note_cached_call(callable, args, keyword_names);
  if (PyWeakref_Check(callable)) {  // a guard would keep the object alive
    if (is_old(callable)) end("it reads a weak reference");
    return;
  }
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
  if (is_partial(callable)) {
    if (is_old(callable)) read_partial(callable);
    const nb::object function = own(PyObject_GetAttrString(callable, "func"));
    const nb::object held = own(PyObject_GetAttrString(callable, "args"));
    std::vector<PyObject*> all;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(held.ptr()); ++i)
      all.push_back(PyTuple_GET_ITEM(held.ptr(), i));
    all.insert(all.end(), args.begin(), args.end());
    return note_call(function.ptr(), all, keyword_names);
  }
  if (is_attribute_getter(callable)) return note_getter_call(callable, args);
  if (name.starts_with("operator.")) return note_arguments(args);
  switch (kind_of(type)) {
    case TypeKind::Package:
      if (name.starts_with("nanobind.") && note_package_setting(callable, args, keyword_names))
        return;
      return note_arguments(args);
    case TypeKind::Instance: {
      if (is_nn_module(callable)) {
        if (is_old(callable)) state_.watch_module(callable, name_of(callable));
        return;  // its forward pass is observed
      }
      PyObject* call = _PyType_Lookup(type, nb::str("__call__").ptr());
      read_class(callable);
      if (call && PyFunction_Check(call)) return;
      break;
    }
    case TypeKind::Constant:
      if (std::string_view(type->tp_name).starts_with("numpy.")) return note_numpy_call(args);
      break;
    default:
      break;
  }
  if (kind_of(type) == TypeKind::Unknown && is_pure_module(module_of(type).c_str()))
    return note_arguments(args);
  end(concatenate("it calls ", callable_name(callable), ", whose effects are not known"));
}

void ReadObserver::read_partial(PyObject* callable) {
  for (const char* part : {"func", "args", "keywords"})
    read_attribute(callable, nb::str(part).ptr(), false);
  read_contents(own(PyObject_GetAttrString(callable, "keywords")).ptr());
}

void ReadObserver::add_function(PyObject* function) {
  const CreatedObjects::PauseScope pause(*created_);
  if (is_partial(function)) read_partial(function);
}

// operator.attrgetter("a.b")(x), operator.methodcaller("f")(x)
void ReadObserver::note_getter_call(PyObject* getter, Objects args) {
  const nb::object parts = own(PyObject_CallMethod(getter, "__reduce__", nullptr));
  const nb::object names = nb::borrow(PyTuple_GET_ITEM(parts.ptr(), 1));
  const bool is_method =
      callable_name(reinterpret_cast<PyObject*>(Py_TYPE(getter))).ends_with("methodcaller");
  const Py_ssize_t count = is_method ? 1 : PyTuple_GET_SIZE(names.ptr());
  for (Py_ssize_t i = 0; i < count && args.size() == 1; ++i) {
    nb::object owner = nb::borrow(args[0]);
    const std::string path = observed_text(PyTuple_GET_ITEM(names.ptr(), i));
    for (size_t from = 0; from <= path.size() && is_active_;) {
      const size_t dot = std::min(path.find('.', from), path.size());
      const nb::str name(path.substr(from, dot - from).c_str());
      from = dot + 1;
      read_attribute(owner.ptr(), name.ptr(), false);
      if (from > path.size() || !is_active_) break;
      PyObject* on_class = _PyType_Lookup(Py_TYPE(owner.ptr()), name.ptr());
      if (on_class && Py_TYPE(on_class)->tp_descr_set && !is_tensor(owner.ptr()))
        return end(concatenate("it calls ", callable_name(getter), " through a property"));
      owner = nb::steal(PyObject_GetAttr(owner.ptr(), name.ptr()));
      PyErr_Clear();
      if (!owner.is_valid()) return;
    }
  }
  if (is_active_) note_arguments(args);
}

// What is registered with abstract classes has one version for all of them.
void ReadObserver::note_abstract_class() {
  if (std::exchange(reads_abstract_classes_, true)) return;
  const nb::object module = own(PyImport_ImportModule("_abc"));
  const nb::object version = own(PyObject_GetAttrString(module.ptr(), "get_cache_token"));
  const nb::object none = own(PyTuple_New(0));
  const nb::object now = own(PyObject_CallNoArgs(version.ptr()));
  reads_.add_call(version.ptr(), none.ptr(), nullptr, now.ptr(), "the version of abstract classes");
}

void ReadObserver::note_class_call(PyTypeObject* type, Objects args) {
  const TypeKind kind = kind_of(type);
  if (is_package_type(type) && changes_package_setting(last_part(type->tp_name)))
    return end(concatenate("it calls ", type->tp_name, ", which changes a setting"));
  read_special_methods(type);
  read_special_methods(Py_TYPE(type));
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
  if (module_of(type).starts_with("numpy")) return note_numpy_call(args);
  if (module_of(type) == "weakref" && !args.empty() && is_tensor(args[0]))
    return end("it creates a weak reference to a tensor, which depends on its identity");
  if (std::string_view(type->tp_name) != "functools.partial") return note_arguments(args);
  for (PyObject*& arg : std::vector<PyObject*>(args.begin(), args.end())) {
    if (!is_result_cache(arg)) note_arguments({&arg, 1});  // it only holds a cache
  }
}

void ReadObserver::note_native_call(PyObject* function, Objects args) {
  PyObject* self = PyCFunction_GET_SELF(function);
  const char* name = reinterpret_cast<PyCFunctionObject*>(function)->m_ml->ml_name;
  if (self && !PyModule_Check(self)) return note_method(self, name, args, function);
  PyObject* module = reinterpret_cast<PyCFunctionObject*>(function)->m_module;
  const std::string text = module && PyUnicode_Check(module) ? observed_text(module) : "";
  const bool is_builtin = text == "builtins";
  const auto is = [&](std::string_view wanted) { return is_builtin && wanted == name; };
  if (args.empty() && is_setting(text, name)) return note_setting(function, args);
  const bool is_package = text == "opwright" || text.starts_with("opwright.");
  if (is_package && note_package_setting(function, args, nullptr)) return;
  const bool is_intern = text == "sys" && std::string_view(name) == "intern";
  if ((!is_pure_module(text.c_str()) && !is_intern) || (is_builtin && has_effects(name)) ||
      is_impure_function(text, name))
    return end(concatenate("it calls ", callable_name(function), ", whose effects are not known"));
  if (text == "_abc") note_abstract_class();
  if (is("isinstance") || is("issubclass") || is("callable")) {
    if (!args.empty() && !is_tensor(args[0])) read_special_methods(Py_TYPE(args[0]));
    for (PyObject* arg : args) note_tested_class(arg);
    if (!args.empty() && is_old(args[0]) && !PyType_Check(args[0]) && !is_tensor(args[0]) &&
        kind_of(Py_TYPE(args[0])) == TypeKind::Instance)
      reads_.add_class_of(args[0], name_of(args[0]));
    return;
  }
  if ((is("getattr") || is("hasattr") || is("setattr") || is("delattr")) && args.size() >= 2) {
    if (!PyUnicode_Check(args[1])) return;
    last_.name = concatenate(name_of(args[0]), ".", observed_text(args[1]));
    return read_attribute(args[0], args[1], is("setattr") || is("delattr"));
  }
  if ((is("hash") || is("id")) && args.size() == 1 && holds_tensor(args[0]))
    return end(concatenate("it calls ", name, "() of a tensor, which depends on its identity"));
  if (is("vars")) {
    for (PyObject* arg : args) read_all_attributes(arg);
    return;
  }
  if (is("dir")) return end("it calls dir, whose result depends on much that it does not name");
  if (text.starts_with("numpy")) return note_numpy_call(args);
  note_arguments(args);
}

void ReadObserver::note_numpy_call(Objects args) {
  if (std::ranges::any_of(args, [](PyObject* arg) { return holds_clock_word(arg); }))
    return end("it calls a function of numpy that reads the time");
  note_arguments(args);
}

void ReadObserver::note_tested_class(PyObject* tested) {
  if (PyTuple_Check(tested)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tested); ++i)
      note_tested_class(PyTuple_GET_ITEM(tested, i));
  } else if (PyType_Check(tested)) {
    read_special_methods(reinterpret_cast<PyTypeObject*>(tested));
    read_special_methods(Py_TYPE(tested));
  } else if (std::string_view(Py_TYPE(tested)->tp_name) == "types.UnionType") {
    note_tested_class(own(PyObject_GetAttrString(tested, "__args__")).ptr());
  }
}

void ReadObserver::note_method(PyObject* self, const char* name, Objects args, PyObject* callable) {
  const TypeKind kind = kind_of(Py_TYPE(self));
  const std::string_view method = name;
  const auto end_unknown = [&] {
    end(concatenate("it calls ", callable_name(callable), ", whose effects are not known"));
  };
  switch (kind) {
    case TypeKind::Constant: {
      const bool is_format =
          PyUnicode_Check(self) && (method == "format" || method == "format_map");
      const bool reads_attributes =
          is_format && std::ranges::any_of(args, [&](PyObject* arg) {
            return kind_of(Py_TYPE(arg)) == TypeKind::Instance && is_old(arg);
          });
      if (is_result_cache(self) || reads_attributes) return end_unknown();
      if (Py_TYPE(self) == &PyMemberDescr_Type && method == "__get__" && !args.empty()) {
        const nb::object slot = own(PyObject_GetAttrString(self, "__name__"));
        return read_attribute(args[0], slot.ptr(), false);
      }
      break;
    }
    case TypeKind::Lock:
      if (method == "locked" || (method == "acquire" && !args.empty())) return end_unknown();
      break;
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
      if (kind == TypeKind::Buffer && (method == "tofile" || method == "dump"))
        return end_unknown();  // of an array
      read_contents(self);
      break;
    case TypeKind::Unknown:
      if (is_old(self)) return end_unknown();
      break;
    case TypeKind::Class:
      if (method == "__subclasses__" ||
          (!is_pure_module(module_of(reinterpret_cast<PyTypeObject*>(self)).c_str()) &&
           !PyType_HasFeature(reinterpret_cast<PyTypeObject*>(self), Py_TPFLAGS_HEAPTYPE)))
        return end_unknown();
      break;
    case TypeKind::Instance: {
      if (PyExceptionInstance_Check(self) && is_old(self) && !method.starts_with("__"))
        return end_unknown();
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

// A setting is guarded by its value.
void ReadObserver::note_setting(PyObject* function, Objects args) {
  const std::string name = concatenate(callable_name(function), "()");
  const nb::object given = tuple_of(args);
  const InterpreterScope eager(nullptr);
  const nb::object value = nb::steal(PyObject_Call(function, given.ptr(), nullptr));
  PyErr_Clear();
  if (!value.is_valid()) return;  // it raises
  if (!is_plain_value(value.ptr()))
    return end(concatenate("it calls ", name, ", whose result is not guarded"));
  reads_.add_call(function, given.ptr(), nullptr, value.ptr(), name);
}

bool ReadObserver::note_package_setting(PyObject* function, Objects args, PyObject* keyword_names) {
  const nb::object found = nb::steal(PyObject_GetAttrString(function, "__name__"));
  PyErr_Clear();
  const std::string name = found.is_valid() ? observed_text(found.ptr()) : "";
  const bool is_change = changes_package_setting(name);
  if (!is_change && !is_package_setting(name)) return false;
  const bool is_known = std::ranges::all_of(args, [&](PyObject* arg) {
    return is_plain_value(arg) || (is_old(arg) && !holds_tensor(arg));
  });
  if (is_change)
    end(concatenate("it calls ", callable_name(function), ", which changes a setting"));
  else if (keyword_names || !is_known)
    end(concatenate("it calls ", callable_name(function), ", whose result is not guarded"));
  else
    note_setting(function, args);
  return true;
}

bool ReadObserver::is_no_key(PyObject* arg) const {
  return holds_tensor(arg) || (!is_old(arg) && !is_plain_value(arg));
}

// Puts the function without its cache in the place of the callable, an operand of the call.
void ReadObserver::leave_cache_out(PyObject** callable, Objects args) {
  if (!captures_cached_ || !is_result_cache(*callable)) return;
  if (std::ranges::none_of(args, [&](PyObject* arg) { return is_no_key(arg); })) return;
  const nb::str attribute("__wrapped__");
  nb::object wrapped = nb::steal(PyObject_GetAttr(*callable, attribute.ptr()));
  PyErr_Clear();
  if (!wrapped.is_valid() || !PyFunction_Check(wrapped.ptr())) return;
  if (is_old(*callable)) read_attribute(*callable, attribute.ptr(), false);
  if (!is_active_) return;
  warn("UserWarning",
       concatenate("compile: ", callable_name(*callable),
                   " keeps results (functools.lru_cache) but gets a tensor; with fullgraph=True it "
                   "is captured without its cache, so each call computes its result"));
  const nb::object cache = nb::steal(std::exchange(*callable, wrapped.release().ptr()));
}

// The cache answers before the function is captured, outside of the trace, so that it never holds a
// traced value; and its answer is guarded.
void ReadObserver::note_cached_call(PyObject* callable, Objects args, PyObject* keyword_names) {
  const std::string name = callable_name(callable);
  for (PyObject* arg : args) {
    if (is_no_key(arg))
      return end(concatenate("it calls ", name,
                             ", which keeps results (functools.lru_cache), with a tensor or a new "
                             "object"));
  }
  const Py_ssize_t num_keywords = keyword_names ? PyTuple_GET_SIZE(keyword_names) : 0;
  const size_t num_positional = args.size() - static_cast<size_t>(num_keywords);
  const nb::object positional = tuple_of(args.first(num_positional));
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
