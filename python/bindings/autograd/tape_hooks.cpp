#include "bindings/autograd/tape_hooks.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bindings/autograd/function_node.h"
#include "bindings/interpreter/error.h"
#include "bindings/interpreter/lock.h"
#include "bindings/object/method.h"
#include "bindings/object/tape_object.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// A node's record of a hook; the node outlives it.
class HookKey {
 public:
  HookKey(TapeNode& node, uint64_t key) : node_(&node), key_(key) {}

  // Null if it was removed. The GIL is held.
  [[nodiscard]] nb::object find() const {
    auto* object = static_cast<PyObject*>(node_->mirror());
    PyObject* hooks = object ? as_tape_object(object).hooks : nullptr;
    if (!hooks) return {};
    const nb::object key = own(PyLong_FromUnsignedLongLong(key_));
    return nb::borrow(PyDict_GetItemWithError(hooks, key.ptr()));
  }

 private:
  TapeNode* node_;
  uint64_t key_;
};

// ---- Gradients in and out ----

nb::object hooked_gradient(const Tensor& gradient) {
  return gradient.is_defined() ? own(wrap(gradient)) : nb::none();
}

nb::object to_tuple(std::span<const Tensor> gradients) {
  nb::object tuple = own(PyTuple_New(static_cast<Py_ssize_t>(gradients.size())));
  for (size_t i = 0; i < gradients.size(); ++i) {
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), give(hooked_gradient(gradients[i])));
  }
  return tuple;
}

// The layout of a Function's outputs, if some of them are not tensors, else null.
const std::vector<bool>* mixed_outputs(const TapeNode& node) {
  const auto* function = dynamic_cast<const PythonFunctionNode*>(&node);
  const bool is_mixed = function && function->output_is_tensor().size() != node.num_places();
  return is_mixed ? &function->output_is_tensor() : nullptr;
}

// One for each output of the call; None also for one that is not a tensor.
nb::object output_gradients(const TapeNode& node, std::span<const Tensor> gradients) {
  const std::vector<bool>* is_tensor_there = mixed_outputs(node);
  if (!is_tensor_there) return to_tuple(gradients);
  std::vector<Tensor> all;
  size_t place = 0;
  for (const bool is_there : *is_tensor_there) {
    all.push_back(is_there ? gradients[place++] : Tensor());
  }
  return to_tuple(all);
}

// What a hook returned for output_gradients: those of the tensors.
nb::object without_other_outputs(const TapeNode& node, nb::object returned) {
  const std::vector<bool>* is_tensor_there = mixed_outputs(node);
  const bool is_tuple = PyTuple_Check(returned.ptr()) || PyList_Check(returned.ptr());
  if (!is_tensor_there || !is_tuple || nb::len(returned) != is_tensor_there->size()) {
    return returned;
  }
  nb::list kept;
  for (size_t i = 0; i < is_tensor_there->size(); ++i) {
    if ((*is_tensor_there)[i]) kept.append(returned[i]);
  }
  return kept;
}

Tensor read_gradient(PyObject* object) {
  if (object == Py_None) return {};
  OPWRIGHT_CHECK_TYPE(is_tensor(object), "a hook must return a gradient or None, got ",
                      class_name(object));
  return handle_of(object);
}

// The result of a hook over several gradients; None leaves them unchanged.
void replace_gradients(std::span<Tensor> gradients, const nb::object& returned) {
  if (returned.is_none()) return;
  if (is_tensor(returned.ptr()) && gradients.size() == 1) {
    gradients[0] = handle_of(returned.ptr());
    return;
  }
  OPWRIGHT_CHECK_TYPE(PyTuple_Check(returned.ptr()) || PyList_Check(returned.ptr()),
                      "a hook of a node must return a tuple of gradients or None, got ",
                      class_name(returned.ptr()));
  const auto size = static_cast<size_t>(PySequence_Fast_GET_SIZE(returned.ptr()));
  OPWRIGHT_CHECK(size == gradients.size(), "a hook of a node returned ", size,
                 " gradients in place of ", gradients.size());
  for (size_t i = 0; i < size; ++i) {
    gradients[i] =
        read_gradient(PySequence_Fast_GET_ITEM(returned.ptr(), static_cast<Py_ssize_t>(i)));
  }
}

// ---- The handle ----

class HookHandle {
 public:
  HookHandle(const nb::object& node, uint64_t key, uint64_t id)
      : node_(own(PyWeakref_NewRef(node.ptr(), nullptr))), key_(key), id_(id) {}

  void remove() const {
    const nb::object node = own(PyObject_CallNoArgs(node_.ptr()));
    if (node.is_none()) return;
    const TapeObject& self = as_tape_object(node.ptr());
    self.node->remove_hook(id_);
    if (!self.hooks) return;
    const nb::object key = own(PyLong_FromUnsignedLongLong(key_));
    if (PyDict_DelItem(self.hooks, key.ptr()) < 0) PyErr_Clear();  // already removed
  }

 private:
  nb::object node_;  // weak: the handle does not keep the history alive
  uint64_t key_;
  uint64_t id_;
};

uint64_t next_key = 0;  // under the GIL

template <class Add>
PyObject* add_hook(TapeNode& node, PyObject* callable, const Add& add) {
  OPWRIGHT_CHECK_TYPE(PyCallable_Check(callable), "a hook must be callable, got ",
                      class_name(callable));
  const nb::object object = own(wrap_borrowed_node(&node));
  TapeObject& self = as_tape_object(object.ptr());
  if (!self.hooks) self.hooks = require(PyDict_New());
  const uint64_t number = ++next_key;
  const nb::object key = own(PyLong_FromUnsignedLongLong(number));
  require_no_error(PyDict_SetItem(self.hooks, key.ptr(), callable));
  const uint64_t id = add(HookKey(node, number));
  return give(nb::cast(HookHandle(object, number, id)));
}

}  // namespace

PyObject* add_gradient_hook(const Edge& edge, PyObject* callable) {
  return add_hook(*edge.node, callable, [&](HookKey key) {
    return edge.node->add_hook(edge.place, [key](const Tensor& gradient) -> Tensor {
      const LockScope lock;
      const nb::object hook = key.find();
      if (!hook.is_valid()) return {};
      const nb::object given = hooked_gradient(gradient);
      return read_gradient(own(PyObject_CallOneArg(hook.ptr(), given.ptr())).ptr());
    });
  });
}

PyObject* add_node_hook(TapeNode& node, PyObject* callable) {
  return add_hook(node, callable, [&](HookKey key) {
    return node.add_post_hook(
        [key, &node](std::span<Tensor> given, std::span<const Tensor> gradients) {
          const LockScope lock;
          const nb::object hook = key.find();
          if (!hook.is_valid()) return;
          replace_gradients(given, nb::borrow<nb::callable>(hook)(
                                       to_tuple(given), output_gradients(node, gradients)));
        });
  });
}

PyObject* add_node_prehook(TapeNode& node, PyObject* callable) {
  return add_hook(node, callable, [&](HookKey key) {
    return node.add_pre_hook([key, &node](std::span<Tensor> gradients) {
      const LockScope lock;
      const nb::object hook = key.find();
      if (!hook.is_valid()) return;
      const nb::object returned = nb::borrow<nb::callable>(hook)(output_gradients(node, gradients));
      replace_gradients(gradients, without_other_outputs(node, returned));
    });
  });
}

PyObject* add_leaf_hook(Accumulate& accumulator, PyObject* callable) {
  return add_hook(accumulator, callable, [&](HookKey key) {
    return accumulator.add_leaf_hook([key](const Tensor& leaf) {
      const LockScope lock;
      const nb::object hook = key.find();
      if (!hook.is_valid()) return;
      const nb::object returned = own(PyObject_CallOneArg(hook.ptr(), hooked_gradient(leaf).ptr()));
      OPWRIGHT_CHECK(returned.is_none(), "a post-accumulate-grad hook must return None, got ",
                     class_name(returned.ptr()));
    });
  });
}

void bind_tape_hooks(nb::module_& m) {
  nb::class_<HookHandle>(m, "HookHandle", "Removes a hook; also a context manager.")
      .def("remove", &HookHandle::remove, "Remove the hook; harmless if it is already removed.")
      .def("__enter__", [](const nb::object& self) { return self; })
      .def("__exit__", [](const HookHandle& self, const nb::args& /*raised*/) { self.remove(); });
}

}  // namespace opwright::python
