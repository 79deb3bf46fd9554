#include "opwright/compile/lower/graph_traffic.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include <fmt/format.h>

#include "opwright/compile/fuse/size_estimate.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dtype.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/ir/passes/shared_memory.h"
#include "opwright/schema/alias_info.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

int64_t number_of(const SymInt& value, const Graph& graph) {
  return estimate_size(graph.shape_env().get(), value, 0);
}

// The bytes of the elements, without repeats; 0 if it is not a tensor.
int64_t bytes_of(const GraphValue& value) {
  const Tensor tensor = value.tensor();
  if (!tensor.is_defined()) return 0;
  const Graph& graph = value.node().graph();
  int64_t shown = 1;
  int64_t reached = 1;  // from the first element to the last
  for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
    const int64_t size = number_of(tensor.sym_size(dim), graph);
    const int64_t stride = number_of(tensor.sym_stride(dim), graph);
    if (size == 0) return 0;
    shown *= size;
    reached += (size - 1) * stride;
  }
  return std::min(shown, reached) * static_cast<int64_t>(item_size(tensor.dtype()));
}

bool is_shared(const AliasInfo& alias) { return alias.is_marked() || !alias.elements.empty(); }

template <class Visit>
void visit_mutated_arguments(const Node& node, const Visit& visit) {
  const auto& arguments = node.op().schema().arguments;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].is_written()) node.args()[i].visit_values(visit);
}

// Calls `visit(value)` for each result of the call in new memory.
template <class Visit>
void visit_new_results(const Node& node, const Visit& visit) {
  const auto& returns = node.op().schema().returns;
  for (size_t i = 0; i < returns.size(); ++i) {
    if (is_shared(returns[i].alias)) continue;
    const NodeResult& result = node.results()[i];
    for (uint32_t j = 0; j < result.count; ++j) visit(node.values()[result.first + j]);
  }
}

// Whether all results are views of arguments.
bool gives_views(const Node& node) {
  const auto& schema = node.op().schema();
  return !schema.returns.empty() && std::ranges::all_of(schema.returns, [](const auto& each) {
    return is_shared(each.alias);
  }) && std::ranges::none_of(schema.arguments, [](const auto& each) { return each.is_written(); });
}

// Calls `visit(value)` once for each tensor that the call reads.
template <class Visit>
void visit_read(const Node& node, const Visit& visit) {
  if (gives_views(node)) return;
  std::set<const GraphValue*> seen;
  const auto& arguments = node.op().schema().arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is_written()) continue;
    node.args()[i].visit_values([&](const GraphValue& value) {
      if (seen.insert(&value).second) visit(value);
    });
  }
}

template <class Visit>
void visit_calls(const Graph& graph, const Visit& visit) {
  for (const Node* node = graph.first(); node; node = node->next())
    if (node->kind() == NodeKind::Call) visit(*node);
}

}  // namespace

Traffic count_traffic(const Node& node) {
  Traffic traffic;
  visit_read(node, [&](const GraphValue& value) { traffic.bytes_read += bytes_of(value); });
  const auto add_written = [&](const GraphValue& value) {
    traffic.bytes_written += bytes_of(value);
  };
  visit_mutated_arguments(node, add_written);
  visit_new_results(node, add_written);
  return traffic;
}

Traffic count_traffic(const Graph& graph) {
  Traffic traffic;
  visit_calls(graph, [&](const Node& node) {
    const Traffic each = count_traffic(node);
    traffic.bytes_read += each.bytes_read;
    traffic.bytes_written += each.bytes_written;
  });
  return traffic;
}

Traffic count_least_traffic(const Graph& graph) {
  const SharedMemory memory(graph, SharedMemory::Inputs::Apart);
  std::set<uint32_t> read;
  std::set<uint32_t> written;
  visit_calls(graph, [&](const Node& node) {
    visit_read(node, [&](const GraphValue& value) { read.insert(memory.group(value)); });
    visit_mutated_arguments(node,
                            [&](const GraphValue& value) { written.insert(memory.group(value)); });
  });
  Traffic traffic;
  std::set<uint32_t> of_inputs;
  for (const GraphValue* input : graph.inputs()) {
    const uint32_t group = memory.group(*input);
    of_inputs.insert(group);
    if (read.contains(group)) traffic.bytes_read += bytes_of(*input);
    if (written.contains(group)) traffic.bytes_written += bytes_of(*input);
  }
  std::set<uint32_t> counted = of_inputs;  // returning an input writes nothing
  for (const NodeArgument& output : graph.outputs()) {
    output.visit_values([&](const GraphValue& value) {
      if (counted.insert(memory.group(value)).second) traffic.bytes_written += bytes_of(value);
    });
  }
  return traffic;
}

std::string traffic_text(const Graph& graph) {
  std::string text = fmt::format("moved {}\nleast {}\n", count_traffic(graph).total(),
                                 count_least_traffic(graph).total());
  visit_calls(graph, [&](const Node& node) {
    const Traffic traffic = count_traffic(node);
    if (traffic.total() != 0) {
      text += fmt::format("{} reads {}, writes {}\n", node.op().name(), traffic.bytes_read,
                          traffic.bytes_written);
    }
  });
  return text;
}

}  // namespace opwright
