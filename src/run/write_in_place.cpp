#include "opwright/run/write_in_place.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/operator_map.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/slot.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/infer.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/ir/passes/input_write.h"
#include "opwright/ir/passes/shared_memory.h"
#include "opwright/schema/schema.h"

namespace opwright {
namespace {

// The view operator of a scatter operator; it has the scatter's arguments without `src`.
const Operator* find_view(const Operator& op) {
  static const OperatorMap<const char*> views{
      {"aten::slice_scatter", "aten::slice.Tensor"},
      {"aten::select_scatter", "aten::select.int"},
      {"aten::diagonal_scatter", "aten::diagonal"},
  };
  const char* const* view = views.find(op);
  return view ? &Registry::get().require(*view) : nullptr;
}

// The operator that writes the result of `op` to its first argument: "aten::index_put_". The names
// of authors' operators do not promise that the two compute the same.
const Operator* find_in_place(const Operator& op) {
  if (!is_builtin(op)) return nullptr;
  const OperatorName& name = op.schema().name;
  const std::string overload = name.overload.empty() ? "" : "." + name.overload;
  const Operator* found = Registry::get().find(name.name_space + "::" + name.base + "_" + overload);
  if (!found || op.num_results() != 1 || found->num_arguments() != op.num_arguments()) {
    return nullptr;
  }
  const bool writes_first = found->written_args() == 1 && found->returned_args() == 1;
  return writes_first && op.written_args() == 0 ? found : nullptr;
}

bool is_call(const Node& node) { return node.kind() == NodeKind::Call; }

bool takes_value(const Node& node, size_t index) {
  return index < node.args().size() && node.args()[index].kind() == NodeArgument::Kind::Value;
}

// A write that can be performed early.
struct Write {
  GraphValue* input;
  std::vector<Node*> chain;  // the calls from the old value to the new one
  Node* copy;                // the write at the end
};

// A custom composite may return an argument although its schema does not say so.
bool may_pass_on(const Operator& op) {
  const bool is_composite =
      op.record(Slot::ImplicitComposite) || op.record(Slot::ExplicitComposite);
  return is_composite && !is_builtin(op);
}

class Search {
 public:
  Search(Graph& graph, const std::function<bool(const GraphValue&)>& is_apart)
      : graph_(graph), is_apart_(is_apart), memory_(graph, SharedMemory::Inputs::Apart) {
    for (const Node* node = graph.first(); node; node = node->next()) {
      if (is_call(*node) && may_pass_on(node->op())) join_results(*node);
    }
  }

  [[nodiscard]] std::vector<Write> run() const {
    std::vector<Write> found;
    for (Node* node = graph_.first(); node; node = node->next()) {
      const bool is_copy = is_copy_write(*node) && takes_value(*node, 0) && takes_value(*node, 1);
      if (!is_copy) continue;
      std::optional<Write> write = find_write(*node);
      if (write && can_be_early(*write)) found.push_back(std::move(*write));
    }
    return found;
  }

 private:
  // From the written input to its new value; each call modifies the result of the previous one.
  [[nodiscard]] static std::optional<Write> find_write(Node& copy) {
    Write write{&copy.args()[0].value(), {}, &copy};
    GraphValue* value = &copy.args()[1].value();
    while (value != write.input) {
      Node& node = value->node();
      const bool is_write = is_call(node) && takes_value(node, 0) &&
                            (find_view(node.op()) || find_in_place(node.op()));
      if (!is_write || !equal_meta(value->meta(), write.input->meta())) return std::nullopt;
      write.chain.push_back(&node);
      value = &node.args()[0].value();
    }
    std::ranges::reverse(write.chain);
    return write.chain.empty() ? std::nullopt : std::optional(std::move(write));
  }

  void join_results(const Node& node) {
    for (const NodeArgument& argument : node.args()) {
      argument.visit_values([&](const GraphValue& given) {
        for (const GraphValue& result : node.values()) joined_[group_of(result)] = group_of(given);
      });
    }
  }
  // Values of different groups share no memory.
  [[nodiscard]] uint32_t group_of(const GraphValue& value) const {
    uint32_t group = memory_.group(value);
    for (auto next = joined_.find(group); next != joined_.end() && next->second != group;
         next = joined_.find(group)) {
      group = next->second;
    }
    return group;
  }

  [[nodiscard]] bool reads(const Node& node, uint32_t group, size_t first_argument = 0) const {
    bool found = false;
    for (size_t i = first_argument; i < node.args().size(); ++i) {
      node.args()[i].visit_values(
          [&](const GraphValue& value) { found |= group_of(value) == group; });
    }
    return found;
  }

  // Whether nothing between `writer` and `end` reads the memory of the value that `writer`
  // modifies.
  [[nodiscard]] bool is_last_reader(const Node& writer, const Node* end) const {
    const uint32_t group = group_of(writer.args()[0].value());
    if (reads(writer, group, 1)) return false;
    for (const Node* node = writer.next(); node != end; node = node->next()) {
      if (reads(*node, group)) return false;
    }
    return true;
  }

  [[nodiscard]] bool can_be_early(const Write& write) const {
    if (write.input->node().kind() != NodeKind::Input || !is_apart_(*write.input)) return false;
    if (reads(*graph_.output(), group_of(write.chain.back()->values()[0]))) return false;
    return std::ranges::all_of(write.chain, [&](const Node* writer) {
      // After the copy the input has its new value anyway.
      const bool is_first = &writer->args()[0].value() == write.input;
      return is_last_reader(*writer, is_first ? write.copy : nullptr);
    });
  }

  Graph& graph_;
  const std::function<bool(const GraphValue&)>& is_apart_;
  SharedMemory memory_;
  std::unordered_map<uint32_t, uint32_t> joined_;  // groups that may be parts of others
};

// Inserts the in-place write for one call of the chain before that call.
void write_before(Graph& graph, Node& node) {
  static const Operator& copy = Registry::get().require("aten::copy_");
  std::vector<NodeArgument> args(node.args().begin(), node.args().end());
  const Operator* view = find_view(node.op());
  if (!view) {
    insert_call_at(graph, node, *find_in_place(node.op()), std::move(args));
    return;
  }
  const NodeArgument source = args[1];
  args.erase(args.begin() + 1);
  GraphValue& part = insert_call_at(graph, node, *view, std::move(args));
  insert_call_at(graph, node, copy,
                 {NodeArgument::of(part), source, NodeArgument::constant(Value(false))});
}

void rewrite(Graph& graph, const Write& write) {
  for (Node* node : write.chain) {
    write_before(graph, *node);
    graph.replace_uses(node->values()[0], *write.input);
    graph.erase(*node);
  }
  if (!write.copy->values().empty()) graph.replace_uses(write.copy->values()[0], *write.input);
  graph.erase(*write.copy);
}

}  // namespace

std::vector<GraphValue*> write_in_place(Graph& graph,
                                        const std::function<bool(const GraphValue&)>& is_apart) {
  std::vector<GraphValue*> written;
  for (const Write& write : Search(graph, is_apart).run()) {
    rewrite(graph, write);
    written.push_back(write.input);
  }
  return written;
}

}  // namespace opwright
