#include "bindings/compile/type_kind.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>

#include <nanobind/nanobind.h>

#include "bindings/compile/observed_name.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// The deallocator that all classes in Python share.
destructor python_deallocator() {
  static const destructor found = [] {
    const nb::object made = nb::steal(PyObject_CallFunction(
        reinterpret_cast<PyObject*>(&PyType_Type), "s(){}", "_OpwrightSample"));
    return reinterpret_cast<PyTypeObject*>(made.ptr())->tp_dealloc;
  }();
  return found;
}

// "collections.deque"; a class in Python is not asked.
std::string full_name(PyTypeObject* type) {
  std::string_view name = type->tp_name;
  if (name.find('.') != std::string_view::npos || !PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE))
    return std::string(name);
  const nb::object module =
      nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__module__"));
  PyErr_Clear();
  const char* text =
      module.is_valid() && PyUnicode_Check(module.ptr()) ? PyUnicode_AsUTF8(module.ptr()) : nullptr;
  return (text ? std::string(text) + "." : std::string()) + std::string(name);
}

bool is_constant_type(PyTypeObject* type, std::string_view name) {
  if (PyType_HasFeature(
          type, Py_TPFLAGS_LONG_SUBCLASS | Py_TPFLAGS_UNICODE_SUBCLASS | Py_TPFLAGS_BYTES_SUBCLASS))
    return true;
  static constexpr std::array kTypes = {
      &PyFloat_Type,        &PyComplex_Type,          &PyRange_Type,
      &PySlice_Type,        &PyEllipsis_Type,         &PyFrozenSet_Type,
      &PyMethodDescr_Type,  &PyGetSetDescr_Type,      &PyMemberDescr_Type,
      &PyWrapperDescr_Type, &PyClassMethodDescr_Type, &PyCFunction_Type,
      &PyCode_Type,         &PyProperty_Type,         &PySuper_Type,
      &PyStaticMethod_Type, &PyClassMethod_Type,      &PyCell_Type};
  if (std::ranges::find(kTypes, type) != kTypes.end() || type == Py_TYPE(Py_None) ||
      type == Py_TYPE(Py_NotImplemented))
    return true;
  static constexpr std::string_view kNames[] = {"re.Pattern",
                                                "re.Match",
                                                "datetime.date",
                                                "datetime.datetime",
                                                "datetime.time",
                                                "datetime.timedelta",
                                                "datetime.timezone",
                                                "functools.partial",
                                                "types.GenericAlias",
                                                "types.UnionType",
                                                "method-wrapper",
                                                "operator.itemgetter",
                                                "operator.attrgetter",
                                                "operator.methodcaller",
                                                "functools._lru_cache_wrapper",
                                                "traceback",
                                                "builtin_function_or_method",
                                                "_collections._tuplegetter"};
  if (std::ranges::find(kNames, name) != std::end(kNames)) return true;
  return name.starts_with("numpy.") && !PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) &&
         name != "numpy.ndarray" && !name.starts_with("numpy.random") &&
         name.find("iter") == std::string_view::npos;
}

// Of a class in C.
TypeKind native_kind(PyTypeObject* type) {
  const std::string name = full_name(type);
  if (is_package_type(type)) return TypeKind::Package;
  if (type == &PyBaseObject_Type) return TypeKind::Instance;
  if (name == "types.SimpleNamespace") return TypeKind::Instance;
  if (name == "collections.OrderedDict") return TypeKind::OrderedDict;
  if (name == "collections.deque" || name == "dict_keys" || name == "dict_values" ||
      name == "dict_items")
    return TypeKind::Sequence;
  if (PyType_HasFeature(type, Py_TPFLAGS_DICT_SUBCLASS)) return TypeKind::Dict;
  if (PyType_HasFeature(type, Py_TPFLAGS_LIST_SUBCLASS)) return TypeKind::List;
  if (PyType_HasFeature(type, Py_TPFLAGS_TUPLE_SUBCLASS)) return TypeKind::Tuple;
  if (PyType_HasFeature(type, Py_TPFLAGS_TYPE_SUBCLASS)) return TypeKind::Class;
  if (PyType_HasFeature(type, Py_TPFLAGS_BASE_EXC_SUBCLASS)) return TypeKind::Instance;
  if (type == &PySet_Type) return TypeKind::Set;
  if (type == &PyModule_Type) return TypeKind::Module;
  if (type == &PyFunction_Type || type == &PyMethod_Type) return TypeKind::Function;
  if (is_constant_type(type, name)) return TypeKind::Constant;
  if (name == "_thread.lock" || name == "_thread.RLock") return TypeKind::Lock;
  if (name.starts_with("_ctypes.")) return TypeKind::Unknown;  // may point to other memory
  if (type->tp_as_buffer && type->tp_as_buffer->bf_getbuffer) return TypeKind::Buffer;
  if (type->tp_iternext) return TypeKind::Iterator;
  return TypeKind::Unknown;
}

// Classes in C may share the deallocator, but their names have a module.
bool is_python_class(PyTypeObject* type) {
  return type->tp_dealloc == python_deallocator() &&
         std::string_view(type->tp_name).find('.') == std::string_view::npos;
}

TypeKind find_kind(PyTypeObject* type) { return native_kind(native_base(type)); }

}  // namespace

PyTypeObject* native_base(PyTypeObject* type) {
  PyTypeObject* base = type;
  while (base->tp_base && is_python_class(base)) base = base->tp_base;
  return base;
}

bool is_open_class(PyTypeObject* type) {
  return PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) &&
         !PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE) && !is_package_type(type);
}

bool is_package_type(PyTypeObject* type) {
  const std::string name = full_name(type);
  return name.starts_with("opwright.") || name.starts_with("nanobind.");
}

TypeKind kind_of(PyTypeObject* type) {
  struct Known {
    TypeKind kind;
    nb::object keep;  // so that its address stays unique
  };
  constexpr size_t kMostKnown = 4096;
  static auto* known = new std::unordered_map<PyTypeObject*, Known>;  // under the GIL
  const auto found = known->find(type);
  if (found != known->end()) return found->second.kind;
  const TypeKind kind = find_kind(type);
  const bool is_static = !PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE);
  if (is_static && known->size() < kMostKnown)
    known->emplace(type, Known{kind, nb::borrow(reinterpret_cast<PyObject*>(type))});
  return kind;
}

bool makes_tuple_class(PyCodeObject* code) {
  const std::string file = observed_text(code->co_filename);
  return file.ends_with("collections/__init__.py") && observed_text(code->co_name) == "namedtuple";
}

bool is_result_cache(PyObject* object) {
  return std::string_view(Py_TYPE(object)->tp_name) == "functools._lru_cache_wrapper";
}

bool is_pure_module(const char* name) {
  static constexpr std::string_view kPure[] = {
      "builtins",    "math",       "cmath",     "_operator",    "operator",
      "itertools",   "_functools", "functools", "_collections", "collections",
      "_bisect",     "_heapq",     "_abc",      "_struct",      "_json",
      "_statistics", "_sre",       "types",     "weakref"};
  const std::string_view text = name;
  if (std::ranges::find(kPure, text) != std::end(kPure)) return true;
  if (text == "opwright" || text.starts_with("opwright.")) return true;
  return (text == "numpy" || text.starts_with("numpy.")) && !text.starts_with("numpy.random");
}

bool is_setting(std::string_view module, std::string_view function) {
  static constexpr std::string_view kSettings[] = {"getdefaultencoding", "getrecursionlimit"};
  return module == "sys" && std::ranges::find(kSettings, function) != std::end(kSettings);
}

bool has_effects(const char* builtin) {
  static constexpr std::string_view kEffects[] = {
      "open", "print", "input", "exec", "eval", "compile", "breakpoint", "globals", "locals"};
  return std::ranges::find(kEffects, std::string_view(builtin)) != std::end(kEffects);
}

}  // namespace opwright::python
