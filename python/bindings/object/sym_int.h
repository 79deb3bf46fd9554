// opwright.SymInt and opwright.SymBool: symbolic sizes and conditions as Python objects.
//
// An object of either type holds a symbol, never a plain number: a result that turns out to be one
// is a Python int or bool. Control flow (bool, int) queries the owner of the symbol, with the
// user's line.
#pragma once

#include <cstdint>
#include <optional>

#include <Python.h>

#include "opwright/symint.h"

namespace opwright::python {

struct SymObject {
  PyObject_HEAD OpwSymWord word;  // owned; symbolic
};

extern PyTypeObject* sym_int_type;
extern PyTypeObject* sym_bool_type;
void add_sym_types(PyObject* module);

inline bool is_sym_int(PyObject* object) noexcept { return Py_TYPE(object) == sym_int_type; }
inline bool is_sym_bool(PyObject* object) noexcept { return Py_TYPE(object) == sym_bool_type; }
// Borrowed; `object` is one of the two.
inline OpwSymWord sym_word_of(PyObject* object) noexcept {
  return reinterpret_cast<SymObject*>(object)->word;
}

// The same as operators get it: a plain int if the symbol's trace ended early.
OpwSymWord settled_word_of(PyObject* object);

// New references; a plain value is an int or a bool. Throw if out of memory.
PyObject* sym_int_to_python(SymInt value);
PyObject* sym_bool_to_python(SymInt condition);

// A SymInt, an int, or an object with __index__ other than a tensor. Empty if not a number.
std::optional<SymInt> read_sym_int(PyObject* object);
// A SymBool or a bool. Empty otherwise.
std::optional<SymInt> read_condition(PyObject* object);

}  // namespace opwright::python
