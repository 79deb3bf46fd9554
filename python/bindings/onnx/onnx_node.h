// The node that computes a value of a model, for symbolics.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

#include "bindings/onnx/onnx_value.h"

namespace opwright::python {

struct SymbolicNode {
  SymbolicValue value;  // one of its outputs
};

[[nodiscard]] SymbolicNode node_of(const SymbolicValue& value);

void bind_onnx_node(nanobind::module_& m);

}  // namespace opwright::python
