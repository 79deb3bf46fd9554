// The autograd attributes and methods of opwright.Tensor.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Python.h>

#include "bindings/autograd/autograd.h"
#include "bindings/autograd/nested_backward.h"
#include "bindings/autograd/saved_tensor_hooks.h"
#include "bindings/autograd/tape_hooks.h"
#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/tape_object.h"
#include "bindings/object/tensor_conversion.h"
#include "bindings/object/tensor_slots.h"
#include "bindings/object/value.h"
#include "opwright/autograd/accumulate.h"
#include "opwright/autograd/backward.h"
#include "opwright/autograd/boundary.h"
#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/functions.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/transforms/trace/data_access.h"

namespace opwright::python {
namespace {

// The tensor whose autograd data `self` shows at the current level.
Tensor seen_tensor(PyObject* self) { return opwright::seen(handle_of(self)); }

PyObject* gradient_object(Tensor tensor) {
  return tensor.is_defined() ? require(wrap(std::move(tensor))) : Py_NewRef(Py_None);
}

// Before autograd data of an existing tensor are read or set: guards do not cover them, and a graph
// does not set them.
void end_trace_at_history(PyObject* self, const char* what) {
  if (may_trace_end() && !impl(handle_of(self)).is_wrapper())
    end_trace(concatenate(what, " reads or sets the history of a tensor that exists outside"));
}

PyObject* to_bool(bool value) { return PyBool_FromLong(value ? 1 : 0); }

// ---- Whether and what is recorded ----

PyObject* get_requires_grad(PyObject* self, void* /*closure*/) {
  return guarded([&] { return to_bool(requires_grad(seen_tensor(self))); });
}

int set_requires_grad_property(PyObject* self, PyObject* value, void* /*closure*/) {
  return guarded(
      [&] {
        OPWRIGHT_CHECK_TYPE(value, "requires_grad cannot be deleted");
        OPWRIGHT_CHECK_TYPE(PyBool_Check(value), "requires_grad must be a bool, got ",
                            class_name(value));
        set_requires_grad(seen_tensor(self), value == Py_True);
        return 0;
      },
      -1);
}

PyObject* requires_grad_method(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"requires_grad", nullptr};
    int on = 1;
    parse_arguments(args, kwargs, "|p:requires_grad_", names, &on);
    set_requires_grad(seen_tensor(self), on != 0);
    return Py_NewRef(self);
  });
}

PyObject* get_is_leaf(PyObject* self, void* /*closure*/) {
  return guarded([&] { return to_bool(is_leaf(seen_tensor(self))); });
}

// The node of a computed tensor; null for a leaf. Throws RuntimeError for a view made under no_grad
// whose base got a history since.
Edge history_edge(const Tensor& tensor) {
  const ViewRecord* view = find_view(tensor);
  if (view && view->is_hidden()) {
    const AttentionScope grad_on(kAttentionGradOff, false);
    (void)edge_of(tensor);
  }
  if (!requires_grad(tensor) || is_leaf(tensor)) return {};
  return edge_of(tensor);
}

PyObject* get_grad_fn(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const Edge edge = history_edge(seen_tensor(self));
    return edge ? wrap_named_node(edge.node) : Py_NewRef(Py_None);
  });
}

PyObject* get_output_nr(PyObject* self, void* /*closure*/) {
  return guarded([&] { return PyLong_FromUnsignedLong(history_edge(seen_tensor(self)).place); });
}

PyObject* get_base(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const Tensor tensor = seen_tensor(self);
    const ViewRecord* view = find_view(tensor);
    const bool has_base = view && !view->is_detached();
    return gradient_object(has_base ? find_history(tensor.get())->root : Tensor());
  });
}

PyObject* is_view(PyObject* self, PyObject* /*args*/) {
  return guarded([&] {
    const ViewRecord* view = find_view(seen_tensor(self));
    return to_bool(view && !view->is_detached());
  });
}

PyObject* detach_in_place_method(PyObject* self, PyObject* /*args*/) {
  return guarded([&] {
    end_trace_at_history(self, "detach_()");
    detach_in_place(seen_tensor(self));
    return Py_NewRef(self);
  });
}

PyObject* get_data(PyObject* self, void* /*closure*/) {
  return guarded([&] { return gradient_object(detached(handle_of(self))); });
}

int set_data_property(PyObject* self, PyObject* value, void* /*closure*/) {
  return guarded(
      [&] {
        OPWRIGHT_CHECK_TYPE(value && is_tensor(value), "data must be a tensor, got ",
                            value ? class_name(value) : "nothing");
        const Tensor target = handle_of(self);
        const Tensor source = handle_of(value);
        end_trace("setting .data gives a tensor other memory");
        OPWRIGHT_CHECK(!impl(target).is_wrapper() && !impl(source).is_wrapper(),
                       "data cannot be set inside a transform; write with copy_ under no_grad");
        OPWRIGHT_CHECK(!requires_grad(target) || has_gradients(source.dtype()),
                       "data of a tensor that requires grad must be floating or complex, got ",
                       source.dtype());
        set_data(target, source);
        return 0;
      },
      -1);
}

// ---- Gradients ----

PyObject* get_grad(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    // One that exists is guarded.
    if (!gradient_of(seen_tensor(self)).is_defined()) end_trace_at_history(self, "grad");
    return gradient_object(gradient_of(seen_tensor(self)));
  });
}

int set_grad(PyObject* self, PyObject* value, void* /*closure*/) {
  return guarded(
      [&] {
        const bool is_none = !value || value == Py_None;
        OPWRIGHT_CHECK_TYPE(is_none || is_tensor(value), "grad must be a tensor or None, got ",
                            class_name(value));
        end_trace_at_history(self, "grad");
        set_gradient(seen_tensor(self), is_none ? Tensor() : seen_tensor(value));
        return 0;
      },
      -1);
}

PyObject* get_grad_dtype(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    end_trace_at_history(self, "grad_dtype");
    const Tensor leaf = seen_tensor(self);
    OPWRIGHT_CHECK(is_leaf(leaf), "grad_dtype can only be accessed on leaf tensors");
    const std::optional<DType> dtype = gradient_dtype_of(leaf);
    return dtype ? to_python(*dtype) : Py_NewRef(Py_None);
  });
}

int set_grad_dtype(PyObject* self, PyObject* value, void* /*closure*/) {
  return guarded(
      [&] {
        OPWRIGHT_CHECK_TYPE(value, "grad_dtype cannot be deleted; None allows any dtype");
        end_trace_at_history(self, "grad_dtype");
        set_gradient_dtype(seen_tensor(self), value == Py_None
                                                  ? std::nullopt
                                                  : std::optional<DType>(parse_dtype(value)));
        return 0;
      },
      -1);
}

PyObject* retain_grad(PyObject* self, PyObject* /*args*/) {
  return guarded([&] {
    end_trace("retain_grad() keeps a gradient for Python");
    retain_gradient(seen_tensor(self));
    return Py_NewRef(Py_None);
  });
}

PyObject* get_retains_grad(PyObject* self, void* /*closure*/) {
  return guarded([&] { return to_bool(retains_gradient(seen_tensor(self))); });
}

PyObject* tensor_backward(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"gradient", "retain_graph", "create_graph", "inputs",
                                        nullptr};
    PyObject* gradient = Py_None;
    PyObject* retain_graph = Py_None;
    int create_graph = 0;
    PyObject* inputs = Py_None;
    parse_arguments(args, kwargs, "|OOpO:backward", names, &gradient, &retain_graph, &create_graph,
                    &inputs);
    OPWRIGHT_CHECK_TYPE(gradient == Py_None || is_tensor(gradient),
                        "backward: gradient must be a tensor or None, got ", class_name(gradient));
    const Tensor own = handle_of(self);
    if (inputs == Py_None) make_history_real({&own, 1});
    const GradientPoint output{seen_tensor(self)};
    const Tensor given = gradient == Py_None ? Tensor() : handle_of(gradient);
    std::vector<GradientPoint> targets;
    if (inputs != Py_None) {
      targets = read_points(inputs, "backward: inputs");
      OPWRIGHT_CHECK(!targets.empty(), "backward: inputs cannot be empty; omit it for all leaves");
    }
    const SavedHooksScope hooks;
    const BackwardOptions options = read_options(retain_graph, create_graph != 0);
    run_nested([&] { opwright::backward({&output, 1}, {&given, 1}, targets, options); });
    return Py_NewRef(Py_None);
  });
}

// ---- Hooks ----

PyObject* register_tensor_hook(PyObject* self, PyObject* hook) {
  return guarded([&] {
    end_trace("register_hook() makes Python code a part of the backward");
    const Tensor tensor = seen_tensor(self);
    OPWRIGHT_CHECK(requires_grad(tensor),
                   "register_hook: the tensor does not require grad, so it gets no gradient");
    return add_gradient_hook(edge_of(tensor), hook);
  });
}

PyObject* register_post_accumulate_grad_hook(PyObject* self, PyObject* hook) {
  return guarded([&] {
    end_trace("register_post_accumulate_grad_hook() makes Python code a part of the backward");
    const Tensor tensor = seen_tensor(self);
    OPWRIGHT_CHECK(requires_grad(tensor) && is_leaf(tensor),
                   "register_post_accumulate_grad_hook: only a leaf that requires grad has its "
                   "gradient summed up");
    return add_leaf_hook(static_cast<Accumulate&>(*edge_of(tensor).node), hook);
  });
}

const PyMethodDef kAutogradMethods[] = {
    {"requires_grad_", as_method(requires_grad_method), kKeywords,
     "requires_grad_($self, requires_grad=True)\n--\n\n"
     "Set whether operators on this tensor are recorded; return the tensor.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2).requires_grad_().requires_grad\n"
     "True\n"},
    {"detach_", as_method(detach_in_place_method), METH_NOARGS,
     "detach_($self, /)\n--\n\n"
     "Detach the tensor from its history in place; return it.\n\n"
     ">>> import opwright as ow\n"
     ">>> y = ow.ones(2, requires_grad=True) * 2\n"
     ">>> y.detach_().requires_grad\n"
     "False\n"},
    {"retain_grad", as_method(retain_grad), METH_NOARGS,
     "retain_grad($self, /)\n--\n\n"
     "Keep the gradient of a computed tensor in `grad`, as for a leaf.\n\n"
     ">>> import opwright as ow\n"
     ">>> y = ow.ones(2, requires_grad=True) * 2\n"
     ">>> y.retain_grad()\n"
     ">>> (y * 3).sum().backward()\n"
     ">>> y.grad\n"
     "tensor([3., 3.])\n"},
    {"backward", as_method(tensor_backward), kKeywords,
     "backward($self, gradient=None, retain_graph=None, create_graph=False, inputs=None)\n--\n\n"
     "Compute the gradients of this tensor's leaves, and add them to their `grad`.\n\n"
     "`gradient` is that of this tensor; it defaults to 1 if there is one element. `retain_graph`\n"
     "allows another backward; `create_graph` makes the gradients differentiable; with `inputs`,\n"
     "only these get a gradient.\n\n"
     ">>> import opwright as ow\n"
     ">>> x = ow.tensor([1.0, 2.0], requires_grad=True)\n"
     ">>> (x * x).sum().backward()\n"
     ">>> x.grad\n"
     "tensor([2., 4.])\n"},
    {"register_hook", as_method(register_tensor_hook), METH_O,
     "register_hook($self, hook, /)\n--\n\n"
     "Call `hook(gradient)` when this tensor's gradient is computed; it may return another one.\n\n"
     "Returns a handle that removes the hook: `handle.remove()`.\n\n"
     ">>> import opwright as ow\n"
     ">>> x = ow.ones(2, requires_grad=True)\n"
     ">>> handle = x.register_hook(lambda gradient: gradient * 10)\n"
     ">>> x.sum().backward()\n"
     ">>> x.grad\n"
     "tensor([10., 10.])\n"},
    {"register_post_accumulate_grad_hook", as_method(register_post_accumulate_grad_hook), METH_O,
     "register_post_accumulate_grad_hook($self, hook, /)\n--\n\n"
     "Call `hook(leaf)` after each time a gradient is added to the `grad` of this leaf.\n\n"
     ">>> import opwright as ow\n"
     ">>> x = ow.ones(2, requires_grad=True)\n"
     ">>> handle = x.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))\n"
     ">>> x.sum().backward()\n"
     "tensor([1., 1.])\n"},
    {"_is_view", as_method(is_view), METH_NOARGS,
     "_is_view($self, /)\n--\n\n"
     "Return whether autograd tracks this tensor as a view of another one.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2)[0]._is_view()\n"
     "True\n"},
};

}  // namespace

void add_autograd_slots(TensorSlots& out) {
  out.methods.insert(out.methods.end(), std::begin(kAutogradMethods), std::end(kAutogradMethods));
  const PyGetSetDef properties[] = {
      {"requires_grad", get_requires_grad, set_requires_grad_property,
       "Whether operators on this tensor are recorded.\n\n"
       ">>> import opwright as ow\n"
       ">>> ow.zeros(2).requires_grad\n"
       "False\n",
       nullptr},
      read_only("is_leaf", get_is_leaf,
                "Whether this tensor is not the result of a recorded operator.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2).is_leaf\n"
                "True\n"),
      {"grad", get_grad, set_grad,
       "The gradient computed by backward, or None.\n\n"
       ">>> import opwright as ow\n"
       ">>> ow.zeros(2).grad is None\n"
       "True\n",
       nullptr},
      {"grad_dtype", get_grad_dtype, set_grad_dtype,
       "The dtype of the gradient of a leaf, to which backward converts; None: any.\n\n"
       "It is that of the tensor until it is set, which is possible while `grad` is None or has\n"
       "the new dtype.\n\n"
       ">>> import opwright as ow\n"
       ">>> x = ow.ones(2, dtype=ow.bfloat16, requires_grad=True)\n"
       ">>> x.grad_dtype\n"
       "opwright.bfloat16\n"
       ">>> x.grad_dtype = ow.float32\n"
       ">>> (3 * x).sum().backward()\n"
       ">>> x.grad.dtype\n"
       "opwright.float32\n",
       nullptr},
      read_only("retains_grad", get_retains_grad,
                "Whether the gradient of a computed tensor is kept.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2).retains_grad\n"
                "False\n"),
      read_only("grad_fn", get_grad_fn,
                "The node of the recorded call that computed this tensor, or None.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.ones(2, requires_grad=True).sin().grad_fn\n"
                "<SinBackward0>\n"),
      read_only("output_nr", get_output_nr,
                "The index of this tensor among the results of its call.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.ones(4, requires_grad=True).split(2)[1].output_nr\n"
                "1\n"),
      read_only("_base", get_base,
                "The tensor that this one is a view of, or None.\n\n"
                ">>> import opwright as ow\n"
                ">>> x = ow.zeros(2, 3)\n"
                ">>> x[0][1]._base is x\n"
                "True\n"),
      {"data", get_data, set_data_property,
       "The same memory without the history; setting it replaces the tensor's contents.\n\n"
       ">>> import opwright as ow\n"
       ">>> x = ow.ones(2, requires_grad=True)\n"
       ">>> x.data.mul_(3).requires_grad, x.tolist()\n"
       "(False, [3.0, 3.0])\n",
       nullptr},
  };
  out.properties.insert(out.properties.end(), std::begin(properties), std::end(properties));
}

}  // namespace opwright::python
