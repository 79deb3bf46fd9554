// opwright.Graph and its nodes for Python.
#pragma once

#include <nanobind/nanobind.h>

#include "opwright/ir/graph/graph.h"

namespace opwright::python {

void bind_graph(nanobind::module_& m);

// The graph as a Python object; objects of one graph share it.
nanobind::object graph_object(GraphPtr graph);
// The graph of an instance of opwright.Graph, otherwise null.
GraphPtr graph_of_object(nanobind::handle object) noexcept;

}  // namespace opwright::python
