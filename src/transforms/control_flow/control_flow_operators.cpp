// opwright::cond and opwright::while_loop: their behaviour in graph runs and on fakes.
#include <span>
#include <utility>
#include <vector>

#include "opwright/dispatch/first_use.h"
#include "opwright/dispatch/property.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ir/graph/evaluate.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/library.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/control_flow/control_flow.h"

namespace opwright {

template <>
struct ValueOf<GraphPtr> {
  static constexpr void write_type(TextWriter& out) { out.put(kGraphTypeName); }
  static GraphPtr read(const OpwValue& value) { return graph_of(value); }
};

namespace {

using Tensors = std::span<const Tensor>;
using Symbols = std::span<const SymInt>;

std::vector<Tensor> run_graph(const Graph& graph, Tensors first, Tensors second, Symbols sizes) {
  std::vector<OpwValue> arguments;
  for (const Tensor& tensor : first) arguments.push_back(ValueOf<Tensor>::lend(tensor));
  for (const Tensor& tensor : second) arguments.push_back(ValueOf<Tensor>::lend(tensor));
  for (const SymInt& size : sizes) arguments.push_back(ValueOf<SymInt>::lend(size));
  std::vector<Tensor> results;
  for (Value& result : evaluate(graph, arguments)) {
    results.push_back(ValueOf<Tensor>::take(result.give()));
  }
  return results;
}

// A result shares no memory with an operand and has the strides of a new tensor, whichever branch
// returned it.
Tensor as_fresh(const Tensor& result, Tensors operands) {
  if (!result.is_contiguous()) return result.contiguous();
  for (const Tensor& operand : operands) {
    if (&storage_of(operand) == &storage_of(result)) return result.clone();
  }
  return result;
}

std::vector<Tensor> all_fresh(std::vector<Tensor> results, Tensors operands) {
  for (Tensor& result : results) result = as_fresh(result, operands);
  return results;
}

std::vector<Tensor> fresh_fakes(Tensors shown) {
  std::vector<Tensor> fakes;
  for (const Tensor& tensor : shown) {
    fakes.push_back(make_fake(sym_geometry_of(tensor).sizes, tensor.dtype(), tensor.device()));
  }
  return fakes;
}

std::vector<Tensor> cond_all_devices(const Tensor& pred, const GraphPtr& true_graph,
                                     const GraphPtr& false_graph, Tensors operands, Symbols sizes) {
  return all_fresh(run_graph(is_true(pred) ? *true_graph : *false_graph, operands, {}, sizes),
                   operands);
}

std::vector<Tensor> cond_fake(const Tensor& /*pred*/, const GraphPtr& true_graph,
                              const GraphPtr& /*false_graph*/, Tensors operands, Symbols sizes) {
  return fresh_fakes(run_graph(*true_graph, operands, {}, sizes));
}

std::vector<Tensor> while_loop_all_devices(const GraphPtr& condition, const GraphPtr& body,
                                           Tensors carried, Tensors captured, Symbols sizes) {
  std::vector<Tensor> values(carried.begin(), carried.end());
  while (is_true(run_graph(*condition, values, captured, sizes).front())) {
    values = run_graph(*body, values, captured, sizes);
  }
  values = all_fresh(std::move(values), captured);
  return all_fresh(std::move(values), carried);
}

std::vector<Tensor> while_loop_fake(const GraphPtr& /*condition*/, const GraphPtr& /*body*/,
                                    Tensors carried, Tensors /*captured*/, Symbols /*sizes*/) {
  return fresh_fakes(carried);
}

// The sub-graph type must be registered before the schemas that use it.
const bool kGraphTypeIsKnown = [] {
  at_first_use([](void*) { register_graph_type(); });
  return true;
}();

}  // namespace

OPWRIGHT_LIBRARY_FRAGMENT(opwright, m) {
  m.def(
      "cond(Tensor pred, Graph true_graph, Graph false_graph, Tensor[] operands, SymInt[] sizes) "
      "-> Tensor[]",
      with_properties({}, {Property::Internal}));
  m.def(
      "while_loop(Graph cond_graph, Graph body_graph, Tensor[] carried, Tensor[] captured, "
      "SymInt[] sizes) -> Tensor[]",
      with_properties({}, {Property::Internal}));
}

OPWRIGHT_LIBRARY_IMPL(opwright, CompositeExplicitAutograd, m) {
  m.impl("cond", &cond_all_devices);
  m.impl("while_loop", &while_loop_all_devices);
}

OPWRIGHT_LIBRARY_IMPL(opwright, Meta, m) {
  m.impl("cond", &cond_fake);
  m.impl("while_loop", &while_loop_fake);
}

}  // namespace opwright
