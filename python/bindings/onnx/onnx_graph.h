// The graph that a symbolic gets: `g.op(...)` adds nodes.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/onnx/onnx_value.h"

namespace opwright::python {

struct SymbolicGraph {
  SymbolicCallPtr of;
};

void bind_onnx_graph(nanobind::module_& m);

}  // namespace opwright::python
