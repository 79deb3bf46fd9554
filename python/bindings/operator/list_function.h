// Functions over lists of tensors, for differentiation.
#pragma once

#include <span>

#include <nanobind/nanobind.h>

#include "bindings/tensor/tensor_list.h"
#include "opwright/runtime/func.h"
#include "opwright/tensor.h"

namespace opwright::python {

// A Python function from a list of tensors to two lists: outputs and aux. Borrowed.
class ListFunction {
 public:
  explicit ListFunction(const nanobind::callable& function) : function_(function) {}

  FunctionOutputs operator()(std::span<const Tensor> inputs) const {
    const nanobind::object given = function_(to_list(inputs));
    return {.outputs = tensors_of(given[0], "the outputs"), .aux = tensors_of(given[1], "aux")};
  }

 private:
  const nanobind::callable& function_;
};

}  // namespace opwright::python
