#include "bindings/autograd/autograd.h"

#include <string>
#include <utility>

#include <nanobind/stl/string.h>

#include "bindings/autograd/dual_level.h"
#include "bindings/autograd/function_level.h"
#include "bindings/autograd/function_node.h"
#include "bindings/autograd/nested_backward.h"
#include "bindings/autograd/saved_tensor_hooks.h"
#include "bindings/autograd/tape_hooks.h"
#include "bindings/interpreter/error.h"
#include "bindings/object/borrowed_arguments.h"
#include "bindings/object/method.h"
#include "bindings/object/tape_object.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/operator/operator_object.h"
#include "opwright/autograd/engine.h"
#include "opwright/autograd/history.h"
#include "opwright/autograd/step.h"
#include "opwright/autograd/tape.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/error.h"
#include "opwright/schema/bind.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/trace/data_access.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// The items of an iterable that is not a string.
nb::object read_items(PyObject* given, const char* what, const char* of_what) {
  const nb::object iterator =
      PyUnicode_Check(given) ? nb::object() : nb::steal(PyObject_GetIter(given));
  if (!iterator.is_valid()) PyErr_Clear();
  OPWRIGHT_CHECK_TYPE(iterator.is_valid(), what, " must be a ", of_what,
                      " or an iterable of them, got ", class_name(given));
  return own(PySequence_List(iterator.ptr()));
}

// A pair of a node and a place: GradientEdge.
bool is_edge(PyObject* given) {
  return PyTuple_Check(given) && PyTuple_GET_SIZE(given) == 2 &&
         is_tape_object(PyTuple_GET_ITEM(given, 0)) && PyLong_Check(PyTuple_GET_ITEM(given, 1));
}

GradientPoint read_point(PyObject* given, const char* what) {
  if (is_tensor(given)) return {handle_of(given)};
  OPWRIGHT_CHECK_TYPE(is_edge(given), what, " must be tensors or gradient edges, got ",
                      class_name(given));
  TapeNode* node = as_tape_object(PyTuple_GET_ITEM(given, 0)).node;
  const auto place = PyLong_AsLong(PyTuple_GET_ITEM(given, 1));
  OPWRIGHT_CHECK_INDEX(place >= 0 && place < node->num_places(), what, ": the node has ",
                       node->num_places(), " outputs, the gradient edge names output ", place);
  return {Tensor(), Edge{TapeNodePtr::share(node), static_cast<uint32_t>(place)}};
}

// grad(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize)
PyObject* grad(PyObject* /*module*/, PyObject* const* args, Py_ssize_t /*num_args*/) {
  return guarded([&] {
    const std::vector<GradientPoint> outputs = read_points(args[0], "grad: outputs");
    const std::vector<GradientPoint> inputs = read_points(args[1], "grad: inputs");
    OPWRIGHT_CHECK(!inputs.empty(), "grad: inputs cannot be empty");
    const std::vector<Tensor> gradients = read_gradients(args[2], "grad: grad_outputs");
    BackwardOptions options = read_options(args[3], args[4] == Py_True);
    options.allow_unused = args[5] == Py_True;
    options.materialize = args[6] == Py_True;
    const SavedHooksScope hooks;
    std::vector<Tensor> found;
    run_nested([&] { found = opwright::grad(outputs, inputs, gradients, options); });
    nb::object tuple = own(PyTuple_New(static_cast<Py_ssize_t>(found.size())));
    for (size_t i = 0; i < found.size(); ++i) {
      PyTuple_SET_ITEM(
          tuple.ptr(), static_cast<Py_ssize_t>(i),
          found[i].is_defined() ? require(wrap(std::move(found[i]))) : Py_NewRef(Py_None));
    }
    return give(std::move(tuple));
  });
}

// backward(outputs, gradients, retain_graph, create_graph, inputs)
PyObject* run_backward(PyObject* /*module*/, PyObject* const* args, Py_ssize_t /*num_args*/) {
  return guarded([&] {
    const std::vector<GradientPoint> outputs = read_points(args[0], "backward: tensors");
    const std::vector<Tensor> gradients = read_gradients(args[1], "backward: grad_tensors");
    const BackwardOptions options = read_options(args[2], args[3] == Py_True);
    std::vector<GradientPoint> inputs;
    if (args[4] != Py_None) {
      inputs = read_points(args[4], "backward: inputs");
      OPWRIGHT_CHECK(!inputs.empty(), "backward: inputs cannot be empty; omit it for all leaves");
    }
    if (inputs.empty()) {
      for (const GradientPoint& output : outputs) {
        if (output.tensor.is_defined()) make_history_real({&output.tensor, 1});
      }
    }
    const SavedHooksScope hooks;
    run_nested([&] { opwright::backward(outputs, gradients, inputs, options); });
    return Py_NewRef(Py_None);
  });
}

// The results of a call, recorded without running it; None if it must be run.
nb::object record_results(const nb::object& op_object, const nb::tuple& args,
                          const nb::dict& keywords, const nb::tuple& known) {
  OPWRIGHT_CHECK_TYPE(is_operator(op_object.ptr()), "record_results: expected an Operator, got ",
                      class_name(op_object.ptr()));
  const Operator& op = require_operator(op_object.ptr());
  const BorrowedArguments given_args(args, keywords);
  const BoundArguments bound(op.schema(), given_args.positional(), given_args.keywords());
  OPWRIGHT_CHECK_VALUE(nb::len(known) == op.num_results(), op.name(), ": it has ", op.num_results(),
                       " results, ", nb::len(known), " are given");
  OwnedResults given(op.num_results());
  for (size_t i = 0; i < given.get().size(); ++i) {
    given.get()[i] = give_result(known[i].ptr(), op.schema().returns[i].type,
                                 concatenate(op.name(), ": the known result ", i));
  }
  OwnedResults results(op.num_results());
  if (!record_known_results(op, bound.values(), given.get(), results.get())) return nb::none();
  nb::object tuple = own(PyTuple_New(static_cast<Py_ssize_t>(op.num_results())));
  for (size_t i = 0; i < results.get().size(); ++i) {
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i),
                     require(take_to_python(std::exchange(results.get()[i], {}))));
  }
  return tuple;
}

PyMethodDef autograd_functions[] = {{"_grad", as_method(grad), METH_FASTCALL, nullptr},
                                    {"_backward", as_method(run_backward), METH_FASTCALL, nullptr},
                                    {}};

}  // namespace

std::vector<GradientPoint> read_points(PyObject* given, const char* what) {
  if (is_tensor(given) || is_edge(given)) return {read_point(given, what)};
  const nb::object values = PyDict_Check(given) ? own(PyDict_Values(given)) : nb::borrow(given);
  const nb::object items = read_items(values.ptr(), what, "tensor");
  std::vector<GradientPoint> points;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.ptr()); ++i) {
    points.push_back(read_point(PyList_GET_ITEM(items.ptr(), i), what));
  }
  return points;
}

std::vector<Tensor> read_gradients(PyObject* given, const char* what) {
  if (given == Py_None) return {};
  if (is_tensor(given)) return {handle_of(given)};
  const nb::object items = read_items(given, what, "tensor");
  std::vector<Tensor> tensors;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.ptr()); ++i) {
    PyObject* item = PyList_GET_ITEM(items.ptr(), i);
    OPWRIGHT_CHECK_TYPE(item == Py_None || is_tensor(item), what, " must be tensors or None, got ",
                        class_name(item));
    tensors.push_back(item == Py_None ? Tensor() : handle_of(item));
  }
  return tensors;
}

BackwardOptions read_options(PyObject* retain_graph, bool create_graph) {
  BackwardOptions options;
  options.create_graph = create_graph;
  options.keeps_graph = create_graph;
  if (is_given(retain_graph)) {
    const int is_kept = PyObject_IsTrue(retain_graph);
    require_no_error(is_kept);
    options.keeps_graph = is_kept != 0;
  }
  return options;
}

void bind_autograd(nb::module_& m) {
  require_no_error(PyModule_AddFunctions(m.ptr(), autograd_functions));
  bind_tape_hooks(m);
  bind_function_node(m);
  bind_saved_tensor_hooks(m);
  bind_dual_level(m);
  bind_function_level(m);
  m.def(
      "gradient_edge",
      [](const nb::object& tensor) {
        OPWRIGHT_CHECK_TYPE(is_tensor(tensor.ptr()), "get_gradient_edge: expected a tensor, got ",
                            class_name(tensor.ptr()));
        const Edge edge = edge_of(handle_of(tensor.ptr()));
        OPWRIGHT_CHECK(edge, "get_gradient_edge: the tensor does not require grad");
        return nb::make_tuple(own(wrap_named_node(edge.node)), edge.place);
      },
      nb::arg("tensor"));
  m.def("current_backward", &backward_in_progress,
        "The id of the backward pass that runs on this thread; 0 if none runs.");
  m.def("backward_has_targets", &backward_has_targets,
        "Whether the running backward pass computes gradients of given inputs only.");
  m.def(
      "increment_version",
      [](const nb::object& tensor) {
        OPWRIGHT_CHECK_TYPE(is_tensor(tensor.ptr()), "increment_version: expected a tensor, got ",
                            class_name(tensor.ptr()));
        storage_of(handle_of(tensor.ptr())).raise_version();
      },
      nb::arg("tensor"), "Count a write to the memory of a tensor.");
  m.def(
      "will_run",
      [](const nb::object& node) {
        OPWRIGHT_CHECK_TYPE(is_tape_object(node.ptr()),
                            "will_run: expected a node of the tape, got ", class_name(node.ptr()));
        return will_run(*as_tape_object(node.ptr()).node);
      },
      nb::arg("node"), "Whether the running backward pass runs this node.");
  m.def("anomaly_mode", &anomaly_mode, "Whether anomaly detection is on for this thread.");
  m.def("set_anomaly_mode", &set_anomaly_mode, nb::arg("on"), "Return the previous mode.");
  m.def("anomaly_mode_checks_nan", &anomaly_mode_checks_nan,
        "Whether anomaly detection looks for nan on this thread.");
  m.def("set_anomaly_mode_checks_nan", &set_anomaly_mode_checks_nan, nb::arg("on"),
        "Return the previous setting.");
  m.def("record_results", &record_results, nb::arg("op"), nb::arg("args"), nb::arg("kwargs"),
        nb::arg("known"),
        "Record a call whose results are known; None if the operator must be called for that.");
}

}  // namespace opwright::python
