#include "bindings/autograd/function_node.h"

#include <algorithm>
#include <utility>

#include <nanobind/stl/string.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/lock.h"
#include "bindings/object/method.h"
#include "bindings/object/tape_object.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/host/function_level.h"
#include "opwright/transforms/differentiate/grad.h"

namespace nb = nanobind;

namespace opwright::python {

namespace {

bool is_boxed_call(const nb::object& function) {
  static PyObject* const name = require(PyUnicode_InternFromString("boxed_grads_call"));
  const int found = PyObject_IsTrue(own(PyObject_GetAttr(function.ptr(), name)).ptr());
  require_no_error(found);
  return found != 0;
}

}  // namespace

// ---- The formula ----

nb::object PythonFunctionNode::call_formula(PyObject* context, std::span<Tensor> gradients) {
  const nb::object function = nb::borrow(as_tape_object(context).function);
  OPWRIGHT_CHECK(function.is_valid(), name(), ": its history was collected");
  const nb::object backward = function.attr("backward");
  SmallVector<PyObject*, 4> args{context};
  std::vector<nb::object> owned;
  size_t place = 0;
  for (const bool is_tensor : output_is_tensor()) {
    const Tensor gradient = is_tensor ? gradients[place++] : Tensor();
    owned.push_back(gradient.is_defined() ? own(wrap(gradient)) : nb::none());
    args.push_back(owned.back().ptr());
  }
  if (is_boxed_call(function)) [[unlikely]] {
    nb::list list;
    for (const nb::object& each : owned) list.append(each);
    owned.clear();
    for (Tensor& gradient : gradients) gradient = Tensor();  // only the list holds them
    PyObject* boxed[] = {context, list.ptr()};
    return own(PyObject_Vectorcall(backward.ptr(), boxed, 2, nullptr));
  }
  return own(PyObject_Vectorcall(backward.ptr(), args.data(), args.size(), nullptr));
}

void PythonFunctionNode::apply(std::span<Tensor> gradients, std::span<Tensor> given) {
  const LockScope lock;
  const nb::object context = own(wrap_borrowed_node(this));
  fill_missing(gradients);
  const GradientVersions versions(gradients);
  nb::object returned;
  try {
    returned = call_formula(context.ptr(), gradients);
  } catch (Error& error) {
    add_backward_note(error);
    throw;
  }
  versions.check(gradients, *this);
  if (!PyTuple_Check(returned.ptr()) && !PyList_Check(returned.ptr())) {
    returned = own(PyTuple_Pack(1, returned.ptr()));
  }
  const auto size = static_cast<size_t>(PySequence_Fast_GET_SIZE(returned.ptr()));
  PyObject** items = PySequence_Fast_ITEMS(returned.ptr());
  const bool is_enough =
      size >= given.size() && std::all_of(items + given.size(), items + size,
                                          [](PyObject* item) { return item == Py_None; });
  OPWRIGHT_CHECK(is_enough, name(), ": backward returned ", size, " gradients, but forward took ",
                 given.size(), " arguments");
  for (size_t i = 0; i < given.size(); ++i) {
    if (items[i] == Py_None) continue;
    OPWRIGHT_CHECK(is_tensor(items[i]), name(), ": backward returned ", class_name(items[i]),
                   " as gradient ", i, "; a gradient is a tensor or None");
    given[i] = fit_gradient(i, handle_of(items[i]));
  }
}

nb::object call_backward(const nb::object& function, const nb::object& context,
                         const nb::args& gradients) {
  const nb::object backward = function.attr("backward");
  if (is_boxed_call(function)) return backward(context, nb::list(gradients));
  return backward(context, *gradients);
}

// ---- Calling ----

namespace {

// Foreign tensors as the level accepts them.
void lift(std::vector<OpwValue>& values) {
  Interpreter* level = current_interpreter();
  if (level && level->traits().lifts) level->lift(values);
}

// Applies a Function of the second form at the level below grad, so that every level records it as
// one call with its own backward. Returns the outputs as values of this level; an argument that it
// returns is the argument itself.
nb::object apply_below(Grad& level, const nb::object& function, const nb::object& passed) {
  const Py_ssize_t count = PyTuple_GET_SIZE(passed.ptr());
  std::vector<Tensor> own_inputs;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* arg = PyTuple_GET_ITEM(passed.ptr(), i);
    own_inputs.push_back(is_tensor(arg) ? handle_of(arg) : Tensor());
  }
  const CallBelow call(level, std::move(own_inputs));
  nb::object inner = own(PyTuple_New(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    const Tensor& below = call.inputs()[static_cast<size_t>(i)];
    PyTuple_SET_ITEM(
        inner.ptr(), i,
        below.is_defined() ? require(wrap(below)) : Py_NewRef(PyTuple_GET_ITEM(passed.ptr(), i)));
  }
  nb::object outputs;
  {
    const ParentScope scope(level);
    outputs = own(PyObject_Call(nb::object(function.attr("apply")).ptr(), inner.ptr(), nullptr));
  }
  const auto raise_output = [&](PyObject* given) {
    return is_tensor(given) ? own(wrap(call.raise(handle_of(given)))) : nb::borrow(given);
  };
  if (!PyTuple_Check(outputs.ptr())) return raise_output(outputs.ptr());
  nb::list own_outputs;
  for (const nb::handle each : nb::borrow<nb::tuple>(outputs))
    own_outputs.append(raise_output(each.ptr()));
  return nb::tuple(own_outputs);
}

nb::object apply_function(const nb::object& function, bool has_setup_context,
                          const nb::tuple& args) {
  std::vector<OpwValue> values(nb::len(args));
  for (size_t i = 0; i < values.size(); ++i) {
    if (!is_tensor(args[i].ptr())) continue;
    values[i].tag = kOpwTensor;
    values[i].as_tensor = tensor_of(args[i].ptr());
  }
  lift(values);
  std::vector<Tensor> inputs;
  nb::object passed = own(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i) {
    const bool is_tensor_here = values[i].tag == kOpwTensor;
    inputs.push_back(is_tensor_here ? Tensor::borrow(values[i].as_tensor) : Tensor());
    PyTuple_SET_ITEM(
        passed.ptr(), static_cast<Py_ssize_t>(i),
        is_tensor_here ? require(wrap(inputs.back())) : Py_NewRef(nb::handle(args[i]).ptr()));
  }
  auto name = nb::cast<std::string>(function.attr("__name__"));
  check_backward_is_kept(name, inputs);
  auto* made = new PythonFunctionNode(std::move(name), std::move(inputs));
  const nb::object context = own(wrap_node(TapeNodePtr::take(made)));
  as_tape_object(context.ptr()).function = Py_NewRef(function.ptr());
  auto* grad = has_setup_context ? dynamic_cast<Grad*>(current_interpreter()) : nullptr;
  nb::object output;
  if (grad) output = apply_below(*grad, function, passed);
  {
    const FunctionNode::ForwardScope scope;
    if (has_setup_context) {
      if (!grad) {
        output =
            own(PyObject_Call(nb::object(function.attr("forward")).ptr(), passed.ptr(), nullptr));
      }
      function.attr("setup_context")(context, passed, output);
    } else {
      const nb::object with_context = nb::make_tuple(context) + passed;
      output = own(
          PyObject_Call(nb::object(function.attr("forward")).ptr(), with_context.ptr(), nullptr));
    }
  }
  const bool is_tuple = PyTuple_Check(output.ptr());
  const nb::object outputs = is_tuple ? output : own(PyTuple_Pack(1, output.ptr()));
  const Py_ssize_t count = PyTuple_GET_SIZE(outputs.ptr());
  std::vector<Tensor> tensors;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PyTuple_GET_ITEM(outputs.ptr(), i);
    tensors.push_back(is_tensor(item) ? handle_of(item) : Tensor());
  }
  if (has_setup_context) made->check_saved(tensors);
  made->finish(tensors);
  nb::object given = own(PyTuple_New(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    Tensor& tensor = tensors[static_cast<size_t>(i)];
    PyTuple_SET_ITEM(given.ptr(), i,
                     tensor.is_defined() ? require(wrap(std::move(tensor)))
                                         : Py_NewRef(PyTuple_GET_ITEM(outputs.ptr(), i)));
  }
  return is_tuple ? given : nb::object(given[0]);
}

}  // namespace

void bind_function_node(nb::module_& m) {
  m.def("apply_function", &apply_function, nb::arg("function"), nb::arg("has_setup_context"),
        nb::arg("args"), "Run and record an autograd.Function.");
}

}  // namespace opwright::python
