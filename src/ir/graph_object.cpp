#include "opwright/ir/graph_object.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"

namespace opwright {
namespace {

struct GraphObject : OpwObject, Counted<GraphObject> {
  explicit GraphObject(GraphPtr held);
  GraphPtr graph;
};

GraphObject& as_graph_object(const OpwObject* object) {
  return const_cast<GraphObject&>(static_cast<const GraphObject&>(*object));
}

void retain_graph(OpwObject* object) { as_graph_object(object).add_ref(); }
void release_graph(OpwObject* object) { as_graph_object(object).release(); }

int equal_graphs(const OpwObject* a, const OpwObject* b) {
  return is_equal(*as_graph_object(a).graph, *as_graph_object(b).graph) ? 1 : 0;
}

uint64_t hash_graph(const OpwObject* object) { return as_graph_object(object).graph->num_nodes(); }

size_t write_graph_text(const OpwObject* object, char* buffer, size_t capacity) {
  const std::string text = to_text(*as_graph_object(object).graph);
  if (capacity > 0) {
    const size_t length = std::min(text.size(), capacity - 1);
    std::memcpy(buffer, text.data(), length);
    buffer[length] = '\0';
  }
  return text.size();
}

constexpr OpwObjectTable kGraphTable = {sizeof(OpwObjectTable), kGraphTypeName, &retain_graph,
                                        &release_graph,         &equal_graphs,  &hash_graph,
                                        &write_graph_text};

GraphObject::GraphObject(GraphPtr held) : OpwObject{&kGraphTable}, graph(std::move(held)) {}

}  // namespace

void register_graph_type() {
  Registry& registry = Registry::get();  // its first use may come here again
  static const bool is_registered = (registry.add_opaque_type(kGraphTypeName), true);
  (void)is_registered;
}

Value graph_value(GraphPtr graph) {
  OpwValue value{};
  value.tag = kOpwObject;
  value.as_object = new GraphObject(std::move(graph));
  return Value::take(value);
}

bool is_graph(const OpwValue& value) noexcept {
  return value.tag == kOpwObject && value.as_object && value.as_object->table == &kGraphTable;
}

GraphPtr graph_of(const OpwValue& value) {
  OPWRIGHT_CHECK_TYPE(is_graph(value), "expected a Graph, got ", tag_name(value.tag));
  return as_graph_object(value.as_object).graph;
}

}  // namespace opwright
