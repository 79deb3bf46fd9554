#include "bindings/graph_object.h"

#include <vector>

#include <nanobind/stl/string.h>

#include "bindings/error.h"
#include "bindings/method.h"
#include "bindings/value.h"
#include "opwright/ir/evaluate.h"
#include "opwright/transforms/make_fx.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

struct GraphHandle {
  GraphPtr graph;
};

nb::list run(const GraphHandle& self, const nb::list& inputs) {
  ValueMemory memory;
  std::vector<OpwValue> values;
  for (const nb::handle input : inputs) values.push_back(memory.borrow(input.ptr()));
  nb::list results;
  for (Value& result : evaluate(*self.graph, values)) {
    results.append(own(take_to_python(result.give())));
  }
  return results;
}

}  // namespace

nb::object graph_object(GraphPtr graph) { return nb::cast(GraphHandle{std::move(graph)}); }

void bind_graph_object(nb::module_& m) {
  nb::class_<GraphHandle>(m, "Graph")
      .def("run", &run)
      .def("__str__", [](const GraphHandle& self) { return to_text(*self.graph); });
}

}  // namespace opwright::python
