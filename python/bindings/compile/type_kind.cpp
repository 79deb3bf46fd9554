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

bool is_impure_function(std::string_view module, std::string_view function) {
  static constexpr std::string_view kImpure[] = {"fromfile",
                                                 "_load_from_filelike",
                                                 "_get_extobj_dict",
                                                 "get_handler_name",
                                                 "get_handler_version",
                                                 "_get_madvise_hugepage",
                                                 "_set_madvise_hugepage",
                                                 "_set_numpy_warn_if_no_mem_policy",
                                                 "_reload_guard",
                                                 "set_datetimeparse_function",
                                                 "set_typeDict"};
  return (module == "numpy" || module.starts_with("numpy.")) &&
         std::ranges::find(kImpure, function) != std::end(kImpure);
}

bool is_package_setting(std::string_view function) {
  static constexpr std::string_view kSettings[] = {"are_deterministic_algorithms_enabled",
                                                   "is_deterministic_algorithms_warn_only_enabled",
                                                   "get_deterministic_debug_mode",
                                                   "get_float32_matmul_precision",
                                                   "is_warn_always_enabled",
                                                   "is_autocast_cache_enabled",
                                                   "is_anomaly_enabled",
                                                   "is_anomaly_check_nan_enabled",
                                                   "anomaly_mode",
                                                   "anomaly_mode_checks_nan",
                                                   "get_num_threads",
                                                   "num_threads",
                                                   "print_options",
                                                   "is_multithreading_enabled",
                                                   "is_view_replay_enabled",
                                                   "swaps_tensors",
                                                   "get_default_device",
                                                   "get_default_dtype",
                                                   "current_device",
                                                   "current_device_index",
                                                   "get_rng_state",
                                                   "fallback_counts",
                                                   "live_counts",
                                                   "device_statistic"};
  return std::ranges::find(kSettings, function) != std::end(kSettings);
}

bool changes_package_setting(std::string_view name) {
  static constexpr std::string_view kChanges[] = {"set_anomaly_enabled",
                                                  "set_anomaly_mode",
                                                  "set_anomaly_mode_checks_nan",
                                                  "set_detect_anomaly",
                                                  "set_autocast_enabled",
                                                  "set_autocast_dtype",
                                                  "set_autocast_cpu_enabled",
                                                  "set_autocast_cpu_dtype",
                                                  "set_autocast_cache_enabled",
                                                  "autocast_increment_nesting",
                                                  "autocast_decrement_nesting",
                                                  "set_default_device",
                                                  "set_deterministic_debug_mode",
                                                  "use_deterministic_algorithms",
                                                  "set_float32_matmul_precision",
                                                  "set_num_threads",
                                                  "set_printoptions",
                                                  "set_print_options",
                                                  "set_warn_always",
                                                  "set_multithreading_enabled",
                                                  "force_original_view_tracking",
                                                  "enforce_grad_layout_policy",
                                                  "set_swaps_tensors",
                                                  "set_current_device",
                                                  "set_rng_state"};
  return std::ranges::find(kChanges, name) != std::end(kChanges);
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
