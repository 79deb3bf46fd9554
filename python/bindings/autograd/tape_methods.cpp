// The Python attributes of a node of the tape, and the methods of a formula's `ctx`.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <Python.h>

#include "bindings/autograd/function_node.h"
#include "bindings/autograd/tape_hooks.h"
#include "bindings/interpreter/error.h"
#include "bindings/interpreter/python_type.h"
#include "bindings/object/method.h"
#include "bindings/object/tape_object.h"
#include "bindings/object/value.h"
#include "opwright/autograd/operator_node.h"
#include "opwright/base/small_vector.h"

namespace opwright::python {
namespace {

using TensorPointers = SmallVector<OpwTensor*, 4>;

FormulaNode& formula_of(PyObject* self, const char* what) {
  FormulaNode* node = as_tape_object(self).node->formula();
  OPWRIGHT_CHECK_KIND("AttributeError", node, as_tape_object(self).node->name(),
                      " has no formula with a context, so it has no ", what);
  return *node;
}

TensorPointers read_tensor_arguments(PyObject* const* args, Py_ssize_t num_args, bool may_be_none,
                                     const TapeNode& node, const char* what) {
  TensorPointers tensors;
  for (Py_ssize_t i = 0; i < num_args; ++i) {
    const bool is_none = may_be_none && args[i] == Py_None;
    OPWRIGHT_CHECK_TYPE(is_none || is_tensor(args[i]), node.name(), ": ", what,
                        " takes tensors, got ", class_name(args[i]));
    tensors.push_back(is_none ? nullptr : tensor_of(args[i]));
  }
  return tensors;
}

// ---- The context of a formula ----

PyObject* save_for_backward(PyObject* self, PyObject* const* args, Py_ssize_t num_args) {
  return guarded([&] {
    FormulaNode& node = formula_of(self, "save_for_backward");
    const TensorPointers tensors = read_tensor_arguments(
        args, num_args, true, node, "save_for_backward (set other values as attributes of ctx)");
    node.save({tensors.data(), tensors.size()});
    return Py_NewRef(Py_None);
  });
}

// Forward mode runs with a context of its own; a backward does not need these tensors.
PyObject* save_for_forward(PyObject* self, PyObject* const* args, Py_ssize_t num_args) {
  return guarded([&] {
    FormulaNode& node = formula_of(self, "save_for_forward");
    const TensorPointers tensors =
        read_tensor_arguments(args, num_args, true, node, "save_for_forward");
    if (auto* function = dynamic_cast<PythonFunctionNode*>(&node))
      function->note_saved_for_forward({tensors.data(), tensors.size()});
    return Py_NewRef(Py_None);
  });
}

PyObject* get_saved_tensors(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    FormulaNode& node = formula_of(self, "saved_tensors");
    const size_t count = node.num_saved();
    nanobind::object tuple = own(PyTuple_New(static_cast<Py_ssize_t>(count)));
    for (size_t i = 0; i < count; ++i) {
      Tensor saved = node.saved(i);
      PyObject* item = saved.is_defined() ? require(wrap(std::move(saved))) : Py_NewRef(Py_None);
      PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), item);
    }
    return give(std::move(tuple));
  });
}

PyObject* needs_of(const TapeNode& node, size_t begin, size_t count) {
  nanobind::object tuple = own(PyTuple_New(static_cast<Py_ssize_t>(count)));
  for (size_t i = 0; i < count; ++i) {
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i),
                     PyBool_FromLong(node.edges()[begin + i] ? 1 : 0));
  }
  return give(std::move(tuple));
}

// One for each argument of the schema; a tuple for a list of tensors.
PyObject* needs_of_operator(const OperatorNode& node) {
  const Operator& op = node.op();
  nanobind::object tuple = own(PyTuple_New(op.num_arguments()));
  size_t edge = 0;
  uint32_t which = 0;
  for (uint32_t i = 0; i < op.num_arguments(); ++i) {
    PyObject* item = nullptr;
    if (!op.takes_tensors(i)) {
      item = Py_NewRef(Py_False);
    } else if (const auto length = node.list_length(which++)) {
      item = needs_of(node, edge, *length);
      edge += *length;
    } else {
      item = PyBool_FromLong(node.edges()[edge++] ? 1 : 0);
    }
    PyTuple_SET_ITEM(tuple.ptr(), i, item);
  }
  return give(std::move(tuple));
}

PyObject* get_needs_input_grad(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const FormulaNode& node = formula_of(self, "needs_input_grad");
    if (const auto* of_operator = dynamic_cast<const OperatorNode*>(&node)) {
      return needs_of_operator(*of_operator);
    }
    return needs_of(node, 0, node.edges().size());
  });
}

PyObject* set_materialize_grads(PyObject* self, PyObject* value) {
  return guarded([&] {
    OPWRIGHT_CHECK_TYPE(PyBool_Check(value), "set_materialize_grads takes a bool, got ",
                        class_name(value));
    formula_of(self, "set_materialize_grads").set_materialize(value == Py_True);
    return Py_NewRef(Py_None);
  });
}

PyObject* mark_non_differentiable(PyObject* self, PyObject* const* args, Py_ssize_t num_args) {
  return guarded([&] {
    FormulaNode& node = formula_of(self, "mark_non_differentiable");
    const TensorPointers tensors =
        read_tensor_arguments(args, num_args, false, node, "mark_non_differentiable");
    node.mark_non_differentiable({tensors.data(), tensors.size()});
    return Py_NewRef(Py_None);
  });
}

PyObject* mark_dirty(PyObject* self, PyObject* const* args, Py_ssize_t num_args) {
  return guarded([&] {
    auto* node = dynamic_cast<PythonFunctionNode*>(as_tape_object(self).node);
    OPWRIGHT_CHECK_KIND("AttributeError", node, as_tape_object(self).node->name(),
                        " is not an autograd.Function, so it has no mark_dirty: its schema says "
                        "what it writes");
    const TensorPointers tensors =
        read_tensor_arguments(args, num_args, false, *node, "mark_dirty");
    node->mark_dirty({tensors.data(), tensors.size()});
    return Py_NewRef(Py_None);
  });
}

// ---- The node ----

PyObject* tape_name(PyObject* self, PyObject* /*args*/) {
  return guarded([&] { return new_text(as_tape_object(self).node->backward_name()); });
}

PyObject* get_next_functions(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const auto edges = as_tape_object(self).node->edges();
    nanobind::object tuple = own(PyTuple_New(static_cast<Py_ssize_t>(edges.size())));
    for (size_t i = 0; i < edges.size(); ++i) {
      PyObject* node = edges[i] ? wrap_named_node(edges[i].node) : Py_NewRef(Py_None);
      PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i),
                       require(Py_BuildValue("NI", node, edges[i].place)));
    }
    return give(std::move(tuple));
  });
}

PyObject* get_metadata(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    TapeObject& object = as_tape_object(self);
    if (!object.metadata) object.metadata = require(PyDict_New());
    return Py_NewRef(object.metadata);
  });
}

PyObject* get_variable(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const auto* accumulator = dynamic_cast<const Accumulate*>(as_tape_object(self).node);
    OPWRIGHT_CHECK_KIND("AttributeError", accumulator,
                        "only the node of a leaf has a variable, this is ",
                        as_tape_object(self).node->name());
    Tensor leaf = accumulator->leaf();
    return leaf.is_defined() ? require(wrap(std::move(leaf))) : Py_NewRef(Py_None);
  });
}

// The tensors that a call of a node gets; None: undefined.
std::vector<Tensor> read_called_gradients(PyObject* args) {
  std::vector<Tensor> gradients;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* item = PyTuple_GET_ITEM(args, i);
    OPWRIGHT_CHECK_TYPE(item == Py_None || is_tensor(item),
                        "a node takes gradients, tensors or None, got ", class_name(item));
    gradients.push_back(item == Py_None ? Tensor() : handle_of(item));
  }
  return gradients;
}

// Runs the `backward` of an autograd.Function, without the engine.
PyObject* apply_function_node(PyObject* self, PyObject* args) {
  return guarded([&] {
    PyObject* function = as_tape_object(self).function;
    OPWRIGHT_CHECK_KIND("AttributeError", function, as_tape_object(self).node->name(),
                        " is not an autograd.Function, so it has no apply; call the node");
    return give(call_backward(nanobind::borrow(function), nanobind::borrow(self),
                              nanobind::borrow<nanobind::args>(args)));
  });
}

PyObject* get_saved_variables(PyObject* self, void* closure) {
  const int is_error =
      PyErr_WarnEx(PyExc_DeprecationWarning, "'saved_variables' is deprecated; use 'saved_tensors'",
                   /*stack_level=*/1);
  return is_error < 0 ? nullptr : get_saved_tensors(self, closure);
}

PyObject* register_tape_hook(PyObject* self, PyObject* hook) {
  return guarded([&] { return add_node_hook(*as_tape_object(self).node, hook); });
}

PyObject* register_prehook(PyObject* self, PyObject* hook) {
  return guarded([&] { return add_node_prehook(*as_tape_object(self).node, hook); });
}

}  // namespace

PyObject* call_tape_node(PyObject* self, PyObject* args, PyObject* keywords) {
  return guarded([&] {
    const TapeNodePtr node = TapeNodePtr::share(as_tape_object(self).node);
    OPWRIGHT_CHECK_TYPE(!keywords || PyDict_GET_SIZE(keywords) == 0,
                        "a node takes no keyword arguments");
    OPWRIGHT_CHECK_TYPE(PyTuple_GET_SIZE(args) == node->num_places(), node->backward_name(),
                        ": expected ", node->num_places(), " arguments, got ",
                        PyTuple_GET_SIZE(args), " instead");
    std::vector<Tensor> gradients = read_called_gradients(args);
    std::vector<Tensor> given(node->edges().size());
    node->apply(gradients, given);
    nanobind::object tuple = own(PyTuple_New(static_cast<Py_ssize_t>(given.size())));
    for (size_t i = 0; i < given.size(); ++i) {
      PyTuple_SET_ITEM(
          tuple.ptr(), static_cast<Py_ssize_t>(i),
          given[i].is_defined() ? require(wrap(std::move(given[i]))) : Py_NewRef(Py_None));
    }
    if (given.empty()) return Py_NewRef(Py_None);
    return given.size() == 1 ? Py_NewRef(PyTuple_GET_ITEM(tuple.ptr(), 0)) : give(std::move(tuple));
  });
}

PyObject* tape_text(PyObject* self) {
  return guarded(
      [&] { return new_text(concatenate("<", as_tape_object(self).node->backward_name(), ">")); });
}

PyMethodDef tape_methods[] = {
    {"save_for_backward", as_method(save_for_backward), METH_FASTCALL,
     "save_for_backward($self, *tensors)\n--\n\n"
     "Save tensors, or None, for the formula, which detects later writes to them."},
    {"save_for_forward", as_method(save_for_forward), METH_FASTCALL,
     "save_for_forward($self, *tensors)\n--\n\n"
     "Save tensors, or None, for the jvp of an autograd.Function."},
    {"set_materialize_grads", as_method(set_materialize_grads), METH_O,
     "set_materialize_grads($self, value, /)\n--\n\n"
     "If False, undefined gradients of results are passed as None instead of zeros."},
    {"mark_non_differentiable", as_method(mark_non_differentiable), METH_FASTCALL,
     "mark_non_differentiable($self, *results)\n--\n\n"
     "Mark results that carry no gradient."},
    {"mark_dirty", as_method(mark_dirty), METH_FASTCALL,
     "mark_dirty($self, *inputs)\n--\n\n"
     "Mark inputs that the forward of an autograd.Function wrote to."},
    {"apply", as_method(apply_function_node), METH_VARARGS,
     "apply($self, *gradients)\n--\n\n"
     "Run the `backward` of an autograd.Function with a gradient for each output."},
    {"name", as_method(tape_name), METH_NOARGS,
     "name($self, /)\n--\n\n"
     "Return the node's name, as PyTorch has it: MulBackward0 for aten::mul."},
    {"register_hook", as_method(register_tape_hook), METH_O,
     "register_hook($self, hook, /)\n--\n\n"
     "Call `hook(grad_inputs, grad_outputs)` after the node, with the gradients that it computed\n"
     "and received; its result, unless None, replaces the computed ones."},
    {"register_prehook", as_method(register_prehook), METH_O,
     "register_prehook($self, hook, /)\n--\n\n"
     "Call `hook(grad_outputs)` before the node; its result, unless None, replaces them."},
    {}};

PyGetSetDef tape_properties[] = {
    {"saved_tensors", get_saved_tensors, nullptr, "The tensors of save_for_backward, as a tuple.",
     nullptr},
    {"saved_variables", get_saved_variables, nullptr,
     "The older name of saved_tensors, which PyTorch deprecates.", nullptr},
    {"needs_input_grad", get_needs_input_grad, nullptr,
     "Whether each argument needs a gradient; a tuple for a list of tensors.", nullptr},
    {"next_functions", get_next_functions, nullptr,
     "Where its gradients go: pairs of a node, or None, and the input there.", nullptr},
    {"metadata", get_metadata, nullptr, "A dict for user data.", nullptr},
    {"variable", get_variable, nullptr, "The leaf whose gradient this node accumulates.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {}};

}  // namespace opwright::python
