// to_dot: inputs are ellipses, calls are boxes, with an edge per use of a value.
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/ir/text/python_code.h"

namespace opwright {
namespace {

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    if (c == '\n') {
      out.append("\\l");
    } else {
      out.push_back(c);
    }
  }
}

// The lines of a box are left-aligned.
std::string label_of(const Node& node) {
  std::string label;
  if (node.kind() == NodeKind::Output) return "output";
  if (node.kind() == NodeKind::Call) label.append(node.op().name()).append("\n");
  for (const GraphValue& value : node.values()) {
    label.append(value.name()).append(": ");
    append_meta_text(label, value.meta());
    label.push_back('\n');
  }
  if (node.site().is_known()) label.append(node.site().text()).append("\n");
  return label;
}

const char* style_of(const Node& node) {
  switch (node.kind()) {
    case NodeKind::Input:
      return node.role() == InputRole::Argument ? "shape=ellipse, fillcolor=\"#dce9f7\""
                                                : "shape=ellipse, fillcolor=\"#f7ecd9\"";
    case NodeKind::Output:
      return "shape=ellipse, fillcolor=\"#e2f2df\"";
    case NodeKind::Call:
      break;
  }
  return "shape=box, fillcolor=\"#f4f4f4\"";
}

}  // namespace

std::string to_dot(const Graph& graph) {
  std::string out =
      "digraph graph_ {\n  node [style=filled, fontname=\"monospace\", fontsize=10];\n";
  std::unordered_map<const Node*, size_t> places;
  for (const Node* node = graph.first(); node; node = node->next()) {
    const size_t place = places.size();
    places.emplace(node, place);
    out.append(concatenate("  n", place, " [", style_of(*node), ", label=\""));
    append_escaped(out, label_of(*node));
    out.append("\"];\n");
    for (const NodeArgument& argument : node->args()) {
      argument.visit_values([&](const GraphValue& value) {
        const auto from = places.find(&value.node());
        if (from == places.end()) return;  // in a graph that verify() rejects
        out.append(concatenate("  n", from->second, " -> n", place));
        if (value.node().values().size() > 1) {
          out.append(concatenate(" [label=\"", value.name(), "\", fontsize=9]"));
        }
        out.append(";\n");
      });
    }
  }
  return out.append("}\n");
}

}  // namespace opwright
