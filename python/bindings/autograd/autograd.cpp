#include "bindings/autograd/autograd.h"

#include "bindings/autograd/function_node.h"
#include "bindings/autograd/saved_tensor_hooks.h"
#include "bindings/autograd/tape_hooks.h"
#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/tape_object.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "opwright/autograd/history.h"
#include "opwright/autograd/tape.h"
#include "opwright/error.h"
#include "opwright/transforms/trace/data_access.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

std::vector<Tensor> read_list(PyObject* given, const char* what, bool may_be_none) {
  if (is_tensor(given)) return {handle_of(given)};
  OPWRIGHT_CHECK_TYPE(PySequence_Check(given) && !PyUnicode_Check(given), what,
                      " must be a tensor or a sequence of tensors, got ", class_name(given));
  const nb::object items = own(PySequence_Fast(given, what));
  std::vector<Tensor> tensors;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.ptr()); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(items.ptr(), i);
    const bool is_none = may_be_none && item == Py_None;
    OPWRIGHT_CHECK_TYPE(is_none || is_tensor(item), what, " must be tensors",
                        may_be_none ? " or None" : "", ", got ", class_name(item));
    tensors.push_back(is_none ? Tensor() : handle_of(item));
  }
  return tensors;
}

// grad(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize)
PyObject* grad(PyObject* /*module*/, PyObject* const* args, Py_ssize_t /*num_args*/) {
  return guarded([&] {
    const std::vector<Tensor> outputs = read_tensors(args[0], "grad: outputs");
    const std::vector<Tensor> inputs = read_tensors(args[1], "grad: inputs");
    const std::vector<Tensor> gradients = read_gradients(args[2], "grad: grad_outputs");
    BackwardOptions options = read_options(args[3], args[4] == Py_True);
    options.allow_unused = args[5] == Py_True;
    options.materialize = args[6] == Py_True;
    std::vector<Tensor> found = opwright::grad(outputs, inputs, gradients, options);
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
    const std::vector<Tensor> outputs = read_tensors(args[0], "backward: tensors");
    const std::vector<Tensor> gradients = read_gradients(args[1], "backward: grad_tensors");
    const BackwardOptions options = read_options(args[2], args[3] == Py_True);
    std::vector<Tensor> inputs;
    if (args[4] != Py_None) {
      inputs = read_tensors(args[4], "backward: inputs");
      OPWRIGHT_CHECK(!inputs.empty(), "backward: inputs is empty; omit it for all leaves");
    }
    if (inputs.empty()) make_history_real(outputs);
    opwright::backward(outputs, gradients, inputs, options);
    return Py_NewRef(Py_None);
  });
}

PyMethodDef autograd_functions[] = {{"_grad", as_method(grad), METH_FASTCALL, nullptr},
                                    {"_backward", as_method(run_backward), METH_FASTCALL, nullptr},
                                    {}};

}  // namespace

std::vector<Tensor> read_tensors(PyObject* given, const char* what) {
  return read_list(given, what, false);
}

std::vector<Tensor> read_gradients(PyObject* given, const char* what) {
  return given == Py_None ? std::vector<Tensor>() : read_list(given, what, true);
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
  m.def(
      "gradient_edge",
      [](const nb::object& tensor) {
        OPWRIGHT_CHECK_TYPE(is_tensor(tensor.ptr()), "get_gradient_edge: expected a tensor, got ",
                            class_name(tensor.ptr()));
        const Edge edge = edge_of(handle_of(tensor.ptr()));
        OPWRIGHT_CHECK(edge, "get_gradient_edge: the tensor does not require grad");
        return nb::make_tuple(own(wrap_node(edge.node)), edge.place);
      },
      nb::arg("tensor"));
  m.def("anomaly_mode", &anomaly_mode, "Whether anomaly detection is on for this thread.");
  m.def("set_anomaly_mode", &set_anomaly_mode, nb::arg("on"), "Return the previous mode.");
}

}  // namespace opwright::python
