// The node of one call of a Python autograd.Function.
#pragma once

#include <span>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "opwright/autograd/function_node.h"
#include "opwright/tensor.h"

namespace opwright::python {

// The node's Python object holds the class, whose `backward` is the formula.
class PythonFunctionNode final : public FunctionNode {
 public:
  using FunctionNode::FunctionNode;

  void apply(std::span<Tensor> gradients, std::span<Tensor> given) override;

 private:
  [[nodiscard]] nanobind::object call_formula(PyObject* context, std::span<Tensor> gradients);
};

// Calls `backward` of the Function class with a gradient for each output: as a list, which it may
// clear, if the class says `boxed_grads_call`.
[[nodiscard]] nanobind::object call_backward(const nanobind::object& function,
                                             const nanobind::object& context,
                                             const nanobind::args& gradients);

void bind_function_node(nanobind::module_& m);

}  // namespace opwright::python
