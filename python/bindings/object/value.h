// Python objects as values of the calling convention, and back.
//
// A Python object has one natural value: a number, a string, a tensor, a list of such. The schema
// layer (schema/coerce.h) converts it to a schema's type (an int for a float, a number for a list),
// so that C++ and Python callers get the same conversions and errors.
#pragma once

#include <vector>

#include <Python.h>

#include "opwright/ir/graph/graph.h"
#include "opwright/schema/coerce.h"
#include "opwright/value.h"

namespace opwright::python {

// Memory and objects behind borrowed values; on the caller's stack.
class ValueMemory {
 public:
  ValueMemory() = default;
  ValueMemory(const ValueMemory&) = delete;
  ValueMemory& operator=(const ValueMemory&) = delete;
  ~ValueMemory();

  // The natural value of `object`, borrowed from it and from this memory. OverflowError for an int
  // that does not fit; an object of an unknown kind becomes an Object of its class, so that the
  // binder can name it.
  OpwValue borrow(PyObject* object);

 private:
  OpwValue borrow_sequence(PyObject* sequence);
  OpwValue borrow_object(PyObject* object);
  OpwValue borrow_number(PyObject* object);

  CoercionMemory memory_;
  std::vector<OpwObject*> objects_;
  std::vector<PyObject*> references_;
};

// New references; null with an exception.
PyObject* to_python(const OpwValue& value) noexcept;
// Takes ownership of the value.
PyObject* take_to_python(OpwValue value) noexcept;

// The result of a Python function as an owned value of the schema's type. Throws TypeError that
// starts with `who` ("audio::gain: the Python kernel's result 2").
OpwValue give_result(PyObject* object, const Type& type, const std::string& who);
// The natural value, owned: for rules, whose results have no schema type.
OpwValue give_natural(PyObject* object);

// How graphs become Python objects and back; null for an object that is not one. Set once, by the
// bindings of graphs.
struct GraphConversion {
  PyObject* (*to_object)(GraphPtr graph) = nullptr;
  GraphPtr (*from_object)(PyObject* object) noexcept = nullptr;
};
void set_graph_conversion(GraphConversion conversion) noexcept;

// "numpy.ndarray", "int": the name of an object's class in errors.
std::string class_name(PyObject* object);

// An object as a value: counted, holds a reference. `type_name` must be immortal.
OpwObject* new_object(PyObject* object, const OpwObjectTable* table);
// The Python object of one of our values, borrowed, or null.
PyObject* object_of(const OpwObject* object) noexcept;

// Makes `name` the schema type of instances of `python_class`. ValueError if either is taken.
void register_opaque_type(PyObject* python_class, const std::string& name);
// The table of the class or of its nearest registered base, or null.
const OpwObjectTable* find_opaque_table(PyTypeObject* type) noexcept;

}  // namespace opwright::python
