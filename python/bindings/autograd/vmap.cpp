#include "bindings/autograd/vmap.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/pytree/batch_dims.h"
#include "bindings/pytree/pytree.h"
#include "opwright/transforms/vmap/vmap_function.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// The arguments of a call as a list of leaves. One whose dim is None is not flattened.
struct MappedInputs {
  PyObject* function;
  std::optional<TreeSpec> spec = {};  // empty: the leaves are the arguments
  std::vector<nb::object> leaves = {};
  std::vector<Tensor> tensors = {};  // undefined for leaves without a batch
  BatchDims dims = {};
};

// The names of the function's parameters, if known.
std::vector<std::string> told_parameter_names(PyObject* function) {
  std::vector<std::string> names;
  try {
    const nb::object signature =
        nb::module_::import_("inspect").attr("signature")(nb::handle(function));
    const nb::object parameters = signature.attr("parameters");
    for (const nb::handle name : parameters) names.emplace_back(nb::str(name).c_str());
  } catch (nb::python_error&) {
    names.clear();
  }
  return names;
}

// weights["bias"], or args[1]["bias"] if the parameter's name is unknown.
std::string leaf_name(const void* context, size_t index) {
  const auto& inputs = *static_cast<const MappedInputs*>(context);
  const std::string path =
      inputs.spec ? inputs.spec->leaf_path(index, "args") : concatenate("args[", index, "]");
  const size_t end = path.find(']');
  const size_t argument = std::stoul(path.substr(5));
  const std::vector<std::string> names = told_parameter_names(inputs.function);
  return argument < names.size() ? names[argument] + path.substr(end + 1) : path;
}

void add_leaf(MappedInputs& inputs, PyObject* leaf, std::optional<int64_t> dim) {
  const size_t index = inputs.leaves.size();
  inputs.leaves.push_back(nb::borrow(leaf));
  inputs.dims.push_back(dim);
  inputs.tensors.push_back(dim && is_tensor(leaf) ? handle_of(leaf) : Tensor());
  OPWRIGHT_CHECK_VALUE(!dim || is_tensor(leaf), "vmap: Got in_dim=", dim.value_or(0),
                       " for an input but the input is of type ", class_name(leaf),
                       ", not a tensor: ", leaf_name(&inputs, index),
                       "\n  Give None as its in_dims.");
}

// Whether each argument is one leaf or, with None as its dim, stays as it is.
bool is_flat(PyObject* args, PyObject* in_dims) {
  const Py_ssize_t count = PyTuple_GET_SIZE(args);
  const bool is_one = is_batch_dim(in_dims);
  if (!is_one && PyTuple_GET_SIZE(in_dims) != count) return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* dim = is_one ? in_dims : PyTuple_GET_ITEM(in_dims, i);
    if (!is_batch_dim(dim)) return false;
    if (dim != Py_None && !is_tensor(PyTuple_GET_ITEM(args, i))) return false;
  }
  return true;
}

MappedInputs flatten_inputs(PyObject* function, PyObject* args, PyObject* in_dims) {
  MappedInputs inputs{.function = function};
  const auto count = static_cast<size_t>(PyTuple_GET_SIZE(args));
  inputs.leaves.reserve(count);
  inputs.tensors.reserve(count);
  inputs.dims.reserve(count);
  if (is_flat(args, in_dims)) [[likely]] {
    const bool is_one = is_batch_dim(in_dims);
    for (size_t i = 0; i < count; ++i) {
      const auto place = static_cast<Py_ssize_t>(i);
      PyObject* dim = is_one ? in_dims : PyTuple_GET_ITEM(in_dims, place);
      add_leaf(inputs, PyTuple_GET_ITEM(args, place), batch_dim_of(dim));
    }
    return inputs;
  }
  FlatTree flat = tree_flatten(args);
  const BatchDims dims = spread_batch_dims(in_dims, flat.spec, "in_dims", "inputs");
  inputs.spec = std::move(flat.spec);
  for (size_t i = 0; i < dims.size(); ++i) add_leaf(inputs, flat.leaves[i].ptr(), dims[i]);
  return inputs;
}

// The arguments of the function.
nb::object sample_arguments(const MappedInputs& inputs, std::span<const Tensor> samples) {
  if (inputs.spec) {
    std::vector<nb::object> leaves = inputs.leaves;
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (inputs.dims[i]) leaves[i] = own(wrap(samples[i]));
    }
    return tree_unflatten(leaves, *inputs.spec);
  }
  nb::object args = own(PyTuple_New(static_cast<Py_ssize_t>(samples.size())));
  for (size_t i = 0; i < samples.size(); ++i) {
    PyObject* arg = inputs.dims[i] ? require(wrap(samples[i])) : Py_NewRef(inputs.leaves[i].ptr());
    PyTuple_SET_ITEM(args.ptr(), static_cast<Py_ssize_t>(i), arg);
  }
  return args;
}

// vmap with its options; the callable is passed with each call.
class VmapCall {
 public:
  VmapCall(nb::object in_dims, nb::object out_dims, const std::string& randomness,
           std::optional<int64_t> chunk_size)
      : in_dims_(std::move(in_dims)),
        out_dims_(std::move(out_dims)),
        randomness_(parse_randomness(randomness)),
        chunk_size_(chunk_size.value_or(0)) {
    OPWRIGHT_CHECK_VALUE(
        is_batch_dim(in_dims_.ptr()) || PyTuple_Check(in_dims_.ptr()),
        "vmap: expected `in_dims` to be int or a (potentially nested) tuple with an int, None or a "
        "tree of these for each argument, got ",
        class_name(in_dims_.ptr()));
    OPWRIGHT_CHECK_VALUE(!chunk_size || *chunk_size > 0,
                         "vmap: chunk_size should be None or greater than 0, got ",
                         chunk_size.value_or(0));
  }

  [[nodiscard]] nb::object call(nb::handle function, nb::handle args, nb::handle kwargs) const {
    MappedInputs inputs = flatten_inputs(function.ptr(), args.ptr(), in_dims_.ptr());
    const SymInt batch_size =
        find_batch_size(inputs.tensors, inputs.dims, {.name = &leaf_name, .context = &inputs});
    std::optional<TreeSpec> spec;
    std::vector<nb::object> others;  // the last outputs, for those that are not tensors
    const std::vector<Tensor> outputs = run_mapped(
        inputs.tensors, inputs.dims, batch_size, randomness_, chunk_size_,
        [&](std::span<const Tensor> samples) {
          const nb::object own_args = sample_arguments(inputs, samples);
          return outputs_of(own(PyObject_Call(function.ptr(), own_args.ptr(), kwargs.ptr())), spec,
                            others);
        });
    if (!spec) return own(wrap(outputs.front()));
    std::vector<nb::object> leaves;
    leaves.reserve(outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i)
      leaves.push_back(outputs[i].is_defined() ? own(wrap(outputs[i])) : others[i]);
    return tree_unflatten(leaves, *spec);
  }

 private:
  // No spec means one tensor.
  [[nodiscard]] MappedOutputs outputs_of(const nb::object& returned, std::optional<TreeSpec>& spec,
                                         std::vector<nb::object>& others) const {
    spec.reset();
    PyObject* out_dims = out_dims_.ptr();
    MappedOutputs outputs;
    if (is_tensor(returned.ptr())) {
      if (PyTuple_Check(out_dims) && PyTuple_GET_SIZE(out_dims) == 1)
        out_dims = PyTuple_GET_ITEM(out_dims, 0);
      if (is_batch_dim(out_dims)) {
        outputs.tensors.push_back(handle_of(returned.ptr()));
        outputs.dims.push_back(batch_dim_of(out_dims));
        return outputs;
      }
    }
    FlatTree flat = tree_flatten(returned.ptr());
    outputs.dims = spread_batch_dims(out_dims, flat.spec, "out_dims", "outputs");
    for (size_t i = 0; i < flat.leaves.size(); ++i) {
      PyObject* leaf = flat.leaves[i].ptr();
      OPWRIGHT_CHECK_VALUE(is_tensor(leaf) || !outputs.dims[i],
                           "vmap: the mapped function must only return Tensors, got type ",
                           nb::repr(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(leaf)))).c_str(),
                           " for ", flat.spec.leaf_path(i, "output"),
                           "\n  Give None as its out_dims to return it as it is.");
      outputs.tensors.push_back(is_tensor(leaf) ? handle_of(leaf) : Tensor());
    }
    spec = std::move(flat.spec);
    others = std::move(flat.leaves);
    return outputs;
  }

  nb::object in_dims_;
  nb::object out_dims_;
  Randomness randomness_;
  int64_t chunk_size_;
};

}  // namespace

void bind_vmap(nb::module_& m) {
  nb::class_<VmapCall>(m, "VmapCall", "vmap with its options.")
      .def(nb::init<nb::object, nb::object, const std::string&, std::optional<int64_t>>(),
           nb::arg("in_dims").none(), nb::arg("out_dims").none(), nb::arg("randomness"),
           nb::arg("chunk_size").none())
      .def("__call__", &VmapCall::call, nb::arg("function"), nb::arg("args"), nb::arg("kwargs"),
           "Call the function for all samples of the batch.");
}

}  // namespace opwright::python
