// TapeNode for Python: a node of the tape, and the `ctx` of formulas.
//
// As with tensors (tensor_object.h), a node knows its live Python object. If that object dies
// before the node, a plain one is created again when needed; one with attributes, hooks or weak
// references is kept: the node owns it until it is handed out again or the last handle is dropped.
#pragma once

#include <cstdint>

#include <Python.h>

#include "opwright/autograd/formula_node.h"
#include "opwright/autograd/tape.h"

namespace opwright::python {

struct TapeObject {
  PyObject_HEAD TapeNode* node;  // null only during construction
  PyObject* dict;                // attributes that a formula sets on its ctx
  PyObject* weakrefs;
  PyObject* hooks;     // Python's hooks by key, or null
  PyObject* metadata;  // a dict, or null
  PyObject* function;  // the class of an autograd.Function, or null
};

extern PyTypeObject* tape_type;
void add_tape_type(PyObject* module);

// The Python object of a node; a new reference.
PyObject* wrap_node(TapeNodePtr node);
PyObject* wrap_borrowed_node(TapeNode* node);

// The same with the class of the node's name, a subclass of TapeNode: type(y.grad_fn).__name__ is
// "MulBackward0".
PyObject* wrap_named_node(TapeNodePtr node);

inline bool is_tape_object(PyObject* object) noexcept {
  return PyObject_TypeCheck(object, tape_type);
}
inline TapeObject& as_tape_object(PyObject* object) noexcept {
  return *reinterpret_cast<TapeObject*>(object);
}

// The methods of tape_methods.cpp, ended by null entries.
extern PyMethodDef tape_methods[];
extern PyGetSetDef tape_properties[];
PyObject* tape_text(PyObject* self);
// node(*gradients): its gradients along the edges, without hooks; one alone, or a tuple.
PyObject* call_tape_node(PyObject* self, PyObject* args, PyObject* keywords);

}  // namespace opwright::python
