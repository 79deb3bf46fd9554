#include "opwright/ir/graph/graph_object.h"

#include <cstdint>
#include <string>
#include <utility>

#include "opwright/base/counted_object.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/value.h"

namespace opwright {
namespace {

struct GraphTraits {
  using Held = Graph;
  static constexpr const char* kTypeName = kGraphTypeName;
  static bool are_equal(const Graph& a, const Graph& b) { return is_equal(a, b); }
  static uint64_t hash(const Graph& graph) { return graph.num_nodes(); }
  static std::string text(const Graph& graph) { return to_text(graph); }
};
using GraphObject = CountedObject<GraphTraits>;

}  // namespace

void register_graph_type() {
  Registry& registry = Registry::get();  // its first use may re-enter here
  static const bool is_registered = (registry.add_opaque_type(kGraphTypeName), true);
  (void)is_registered;
}

Value graph_value(GraphPtr graph) { return GraphObject::make(std::move(graph)); }

bool is_graph(const OpwValue& value) noexcept { return GraphObject::find(value) != nullptr; }

GraphPtr graph_of(const OpwValue& value) {
  const GraphObject* found = GraphObject::find(value);
  OPWRIGHT_CHECK_TYPE(found, "expected a Graph, got ", tag_name(value.tag));
  return found->held();
}

}  // namespace opwright
