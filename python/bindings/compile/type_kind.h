// What a class means to a captured function: whether its instances can change, and who reads them.
#pragma once

#include <cstdint>
#include <string_view>

#include <Python.h>

namespace opwright::python {

enum class TypeKind : uint8_t {
  Constant,  // instances never change: numbers, strings, ranges, code, regular expressions
  Tuple,     // the elements never change, but may themselves be containers
  List,      // the four containers, and subclasses of them
  Dict,
  Set,
  OrderedDict,
  Sequence,  // other containers that can be iterated without a change: deque
  Buffer,    // arrays: their bytes are read
  Instance,  // of a class in Python: its methods are code that is observed
  Module,
  Class,
  Function,
  Iterator,  // in C: reading it changes it
  Package,   // of this package: tensors, operators, dtypes
  Lock,      // leaves nothing behind
  Unknown,   // of a class in C that nobody here knows
};

[[nodiscard]] TypeKind kind_of(PyTypeObject* type);

// The class in C that a class in Python derives from; itself for a class in C.
[[nodiscard]] PyTypeObject* native_base(PyTypeObject* type);
// Whether a program may set attributes of a class: it is written in Python, outside of this
// package.
[[nodiscard]] bool is_open_class(PyTypeObject* type);

// Whether code is that of collections.namedtuple: it evaluates text that it writes itself, and
// reads nothing but its arguments.
[[nodiscard]] bool makes_tuple_class(PyCodeObject* code);

// Whether an object is a function of functools.lru_cache.
[[nodiscard]] bool is_result_cache(PyObject* object);

// Whether elements are read by iterating.
[[nodiscard]] constexpr bool is_container(TypeKind kind) {
  return kind == TypeKind::List || kind == TypeKind::Dict || kind == TypeKind::Set ||
         kind == TypeKind::OrderedDict || kind == TypeKind::Sequence || kind == TypeKind::Tuple;
}

// Whether an object, function or class belongs to this package.
[[nodiscard]] bool is_package_type(PyTypeObject* type);

// Whether a module of C functions only computes from its arguments (math, operator, itertools);
// `name` is the module's.
[[nodiscard]] bool is_pure_module(const char* name);
// Whether a function of the module builtins reads or changes more than its arguments: open, print.
[[nodiscard]] bool has_effects(const char* builtin);
// Whether a function of a pure module is not pure, as it reads or writes files or settings:
// numpy.fromfile.
[[nodiscard]] bool is_impure_function(std::string_view module, std::string_view function);
// Whether a function without arguments returns a setting of the interpreter: sys.getrecursionlimit.
[[nodiscard]] bool is_setting(std::string_view module, std::string_view function);
// Whether a function of this package, by its name, returns a setting of the package: num_threads.
[[nodiscard]] bool is_package_setting(std::string_view function);
// Whether a function or class of this package, by its name, changes a setting: set_num_threads.
[[nodiscard]] bool changes_package_setting(std::string_view name);

}  // namespace opwright::python
