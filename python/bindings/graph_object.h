// Graphs as Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include "opwright/ir/graph.h"

namespace opwright::python {

nanobind::object graph_object(GraphPtr graph);
void bind_graph_object(nanobind::module_& m);

}  // namespace opwright::python
