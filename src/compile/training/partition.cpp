#include "opwright/compile/training/partition.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "opwright/compile/lower/node_copier.h"
#include "opwright/compile/training/min_cut.h"
#include "opwright/compile/training/recompute.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/rule.h"
#include "opwright/error.h"
#include "opwright/ir/graph/infer.h"
#include "opwright/ir/graph/random_input.h"
#include "opwright/ir/graph/symbol_bindings.h"
#include "opwright/ir/passes/common_subexpressions.h"
#include "opwright/ir/passes/dead_code.h"
#include "opwright/ir/passes/effects.h"
#include "opwright/ir/passes/shared_memory.h"
#include "opwright/ir/passes/whole_copies.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

// Removes the history of writes that autograd does not see: the value is the second argument. Kept
// if it is the copy that a returned or written value needs.
void remove_grafts(Graph& graph) {
  static const Operator& graft = Registry::get().require("opwright::graft");
  for (Node* node = graph.first(); node;) {
    Node* next = node->next();
    if (node->kind() == NodeKind::Call && &node->op() == &graft) {
      GraphValue& value = node->args()[1].value();
      const Node& maker = value.node();
      if (maker.kind() == NodeKind::Call && !maker.op().gives_views()) {
        graph.replace_uses(node->values()[0], value);
        graph.erase(*node);
      }
    }
    node = next;
  }
}

GraphPtr copy_without_autograd(const Graph& joint) {
  auto graph = make_intrusive<Graph>(joint.shape_env());
  NodeCopier copier(joint, *graph);
  copier.drop_autograd();
  for (const Node* node = joint.first(); node; node = node->next()) {
    if (node->kind() == NodeKind::Input) copier.copy_input(node->values()[0]);
    if (node->kind() == NodeKind::Call) copier.copy_call(*node);
  }
  graph->set_outputs(copier.copy(joint.outputs()));
  return graph;
}

class Partitioner {
 public:
  Partitioner(const Graph& joint, const PartitionRequest& request)
      : graph_(copy_without_autograd(joint)), request_(request) {}

  Partition run() {
    clean();
    find_dependents();
    find_forward();
    find_backward();
    find_cut();
    make_forward();
    make_backward();
    add_ints();
    return std::move(made_);
  }

 private:
  void clean();
  void find_dependents();
  void find_forward();
  void find_backward();
  void find_cut();
  void make_forward();
  void make_backward();
  void add_ints();

  [[nodiscard]] bool depends(const GraphValue& value) const { return depends_[value.number()]; }
  [[nodiscard]] bool is_dropped(size_t output) const {
    return output < request_.is_dropped.size() && request_.is_dropped[output];
  }
  [[nodiscard]] std::span<const NodeArgument> gradients() const {
    return graph_->outputs().subspan(request_.num_outputs, num_gradients());
  }
  [[nodiscard]] size_t num_gradients() const {
    return graph_->outputs().size() - request_.num_outputs - num_states_;
  }
  // Marks the nodes that compute an argument; values for which `stops` returns true are not
  // followed.
  template <class Stops>
  void mark(std::vector<bool>& marked, const NodeArgument& argument, const Stops& stops) const;
  void mark_all(std::vector<bool>& marked, const NodeArgument& argument) const {
    mark(marked, argument, [](const GraphValue&) { return false; });
  }
  [[nodiscard]] bool has_mark(const std::vector<bool>& marked, const Node& node) const {
    return std::ranges::any_of(node.values(),
                               [&](const GraphValue& value) { return marked[value.number()]; });
  }
  [[nodiscard]] int64_t cost_of(const GraphValue& value) const;
  void add_flow_of(const Node& node, MinCut& cut, std::vector<uint32_t>& places);
  uint32_t place_of(const GraphValue& value, MinCut& cut, std::vector<uint32_t>& places);
  [[nodiscard]] std::unordered_set<uint32_t> find_written_groups(const SharedMemory& memory) const;
  void copy_saved(NodeCopier& copier, std::vector<GraphValue*>& kept);
  void note_saved(const GraphValue& value, bool is_copied);

  GraphPtr graph_;
  const PartitionRequest& request_;
  size_t num_states_ = 0;
  std::vector<GraphValue*> inputs_;
  std::unordered_set<const GraphValue*> tangents_;
  // By value number.
  std::vector<bool> depends_;      // on a tangent
  std::vector<bool> in_forward_;   // needed by its outputs and effects
  std::vector<bool> in_backward_;  // needed by gradients
  std::vector<bool> is_cheap_;     // an input that formulas read: kept anyway
  std::vector<GraphValue*> saved_;
  std::vector<SymInt> ints_;
  Partition made_;
};

void Partitioner::clean() {
  remove_grafts(*graph_);
  remove_whole_copies(*graph_);
  share_common_subexpressions(*graph_);
  remove_dead_code(*graph_);
  num_states_ = count_random_states(*graph_);
  inputs_ = graph_->inputs();
  for (const uint32_t tangent : request_.tangents) tangents_.insert(inputs_[tangent]);
  const size_t count = graph_->num_value_numbers();
  depends_.assign(count, false);
  in_forward_.assign(count, false);
  in_backward_.assign(count, false);
  is_cheap_.assign(count, false);
}

void Partitioner::find_dependents() {
  for (const GraphValue* tangent : tangents_) depends_[tangent->number()] = true;
  for (const Node* node = graph_->first(); node; node = node->next()) {
    if (node->kind() != NodeKind::Call) continue;
    bool does = false;
    for (const NodeArgument& argument : node->args()) {
      argument.visit_values([&](const GraphValue& value) { does |= depends(value); });
    }
    if (!does) continue;
    OPWRIGHT_CHECK(!has_effect(*node), "compile: ", node->op().name(),
                   " in a backward formula has side effects, which a compiled "
                   "function cannot have\n  Call the function uncompiled.");
    for (const GraphValue& value : node->values()) depends_[value.number()] = true;
  }
}

template <class Stops>
void Partitioner::mark(std::vector<bool>& marked, const NodeArgument& argument,
                       const Stops& stops) const {
  std::vector<const GraphValue*> waiting;
  const auto add = [&](const GraphValue& value) {
    if (marked[value.number()]) return;
    marked[value.number()] = true;
    if (!stops(value)) waiting.push_back(&value);
  };
  argument.visit_values(add);
  while (!waiting.empty()) {
    const Node& node = waiting.back()->node();
    waiting.pop_back();
    for (const NodeArgument& each : node.args()) each.visit_values(add);
  }
}

void Partitioner::find_forward() {
  const auto outputs = graph_->outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const bool is_gradient =
        i >= request_.num_outputs && i < request_.num_outputs + num_gradients();
    if (!is_gradient && !is_dropped(i)) mark_all(in_forward_, outputs[i]);
  }
  for (const Node* node = graph_->first(); node; node = node->next()) {
    if (node->kind() != NodeKind::Call || !has_effect(*node)) continue;
    for (const GraphValue& value : node->values()) in_forward_[value.number()] = true;
    for (const NodeArgument& argument : node->args()) mark_all(in_forward_, argument);
  }
}

void Partitioner::find_backward() {
  for (const NodeArgument& gradient : gradients()) mark_all(in_backward_, gradient);
  // Inputs that formulas read, also through views, are saved by eager too.
  for (const Node* node = graph_->first(); node; node = node->next()) {
    if (node->kind() != NodeKind::Call || !has_mark(in_backward_, *node)) continue;
    if (!depends(node->values()[0])) continue;
    for (const NodeArgument& argument : node->args()) {
      argument.visit_values([&](const GraphValue& value) {
        const GraphValue* root = &value;
        while (root->node().kind() == NodeKind::Call && is_view(root->node().op())) {
          root = &root->node().args()[0].value();
        }
        if (root->node().kind() == NodeKind::Input) is_cheap_[root->number()] = true;
      });
    }
  }
}

// ---- The cut ----

int64_t Partitioner::cost_of(const GraphValue& value) const {
  const Node& node = value.node();
  if (is_cheap_[value.number()]) return 1;
  if (node.kind() == NodeKind::Call && is_view(node.op()) && can_recompute(node)) {
    return MinCut::kUncuttable;  // it would keep its base alive
  }
  return estimate_bytes(value);
}

// A value is two vertices: it exists, and it exists in the backward. The edge between them has the
// cost of saving it.
uint32_t Partitioner::place_of(const GraphValue& value, MinCut& cut,
                               std::vector<uint32_t>& places) {
  uint32_t& place = places[value.number()];
  if (place != 0) return place;
  place = cut.add_vertex();
  (void)cut.add_vertex();
  cut.add_edge(place, place + 1, cost_of(value));
  const Node& node = value.node();
  const bool is_constant = node.kind() == NodeKind::Input && node.role() == InputRole::Constant;
  const bool comes_again = is_constant || (node.kind() == NodeKind::Call && can_recompute(node));
  if (!comes_again) cut.add_edge(MinCut::kSource, place, MinCut::kUncuttable);
  return place;
}

void Partitioner::add_flow_of(const Node& node, MinCut& cut, std::vector<uint32_t>& places) {
  const bool is_backward = depends(node.values()[0]);
  for (const NodeArgument& argument : node.args()) {
    argument.visit_values([&](const GraphValue& value) {
      if (depends(value)) return;
      const uint32_t from = place_of(value, cut, places) + 1;
      if (is_backward) {
        cut.add_edge(from, MinCut::kSink, MinCut::kUncuttable);
        return;
      }
      for (const GraphValue& result : node.values()) {
        if (in_backward_[result.number()]) {
          cut.add_edge(from, place_of(result, cut, places), MinCut::kUncuttable);
        }
      }
    });
  }
}

void Partitioner::find_cut() {
  MinCut cut;
  std::vector<uint32_t> places(graph_->num_value_numbers(), 0);  // 0: none
  for (const Node* node = graph_->first(); node; node = node->next()) {
    if (node->kind() == NodeKind::Call && has_mark(in_backward_, *node)) {
      add_flow_of(*node, cut, places);
    }
  }
  for (const NodeArgument& gradient : gradients()) {
    gradient.visit_values([&](const GraphValue& value) {
      if (depends(value)) return;
      cut.add_edge(place_of(value, cut, places) + 1, MinCut::kSink, MinCut::kUncuttable);
    });
  }
  const std::vector<bool> is_sink_side = cut.find_sink_side();
  for (Node* node = graph_->first(); node; node = node->next()) {
    for (GraphValue& value : node->values()) {
      const uint32_t place = places[value.number()];
      if (place != 0 && !is_sink_side[place] && is_sink_side[place + 1]) {
        saved_.push_back(&value);
        made_.saved_bytes += estimate_bytes(value);
      }
    }
  }
}

// ---- The two graphs ----

// Groups of the written values, including everything that shared memory with them in the trace.
std::unordered_set<uint32_t> Partitioner::find_written_groups(const SharedMemory& memory) const {
  const auto storage_of = [](const GraphValue& input) -> const Storage* {
    const Tensor meta = input.tensor();
    return meta.is_defined() ? impl(meta).storage : nullptr;
  };
  std::unordered_set<uint32_t> groups;
  std::unordered_set<const Storage*> storages;
  for (const GraphValue* input : inputs_) {
    if (memory.is_written(*input)) storages.insert(storage_of(*input));
  }
  for (const GraphValue* input : inputs_) {
    if (storages.contains(storage_of(*input))) groups.insert(memory.group(*input));
  }
  return groups;
}

void Partitioner::note_saved(const GraphValue& value, bool is_copied) {
  SavedValue noted{.name = value.name()};
  if (!is_copied) {
    for (uint32_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i] == &value) noted.input = i;
    }
    for (uint32_t i = 0; i < request_.num_outputs && noted.input == SavedValue::kNone; ++i) {
      const NodeArgument& output = graph_->outputs()[i];
      const bool is_it = output.kind() == NodeArgument::Kind::Value && &output.value() == &value;
      if (is_it && !is_dropped(i) && noted.output == SavedValue::kNone) noted.output = i;
    }
  }
  made_.saved.push_back(std::move(noted));
}

// Copies saved values that will be written before the backward runs.
void Partitioner::copy_saved(NodeCopier& copier, std::vector<GraphValue*>& kept) {
  static const Operator& clone = Registry::get().require("aten::clone");
  const SharedMemory memory(*graph_, SharedMemory::Inputs::Apart);
  const std::unordered_set<uint32_t> written = find_written_groups(memory);
  for (const GraphValue* value : saved_) {
    const bool is_written = memory.is_written(*value) || written.contains(memory.group(*value));
    GraphValue* own = copier.find(*value);
    note_saved(*value, is_written);
    if (is_written) {
      std::vector<NodeArgument> args(clone.num_arguments());
      args[0] = NodeArgument::of(*own);
      std::vector<Value> results = infer_results(*made_.forward, clone, args);
      own = &made_.forward
                 ->insert_call({.op = &clone,
                                .args = std::move(args),
                                .results = std::move(results),
                                .site = value->node().site(),
                                .module_path = value->node().module_path()})
                 .values()[0];
    }
    kept.push_back(own);
  }
}

void Partitioner::make_forward() {
  std::vector<bool> needed = in_forward_;
  for (GraphValue* value : saved_) mark_all(needed, NodeArgument::of(*value));
  made_.forward = make_intrusive<Graph>(graph_->shape_env());
  NodeCopier copier(*graph_, *made_.forward);
  for (const GraphValue* input : inputs_) {
    const bool is_asked = input->node().role() == InputRole::Argument || needed[input->number()];
    if (is_asked && !tangents_.contains(input)) copier.copy_input(*input);
  }
  std::vector<GraphValue*> kept;
  bool has_kept = false;
  for (const Node* node = graph_->first(); node; node = node->next()) {
    if (node->kind() != NodeKind::Call) continue;
    if (node->op().writes_arguments() && !std::exchange(has_kept, true)) copy_saved(copier, kept);
    if (has_mark(needed, *node) || has_effect(*node)) copier.copy_call(*node);
  }
  if (!has_kept) copy_saved(copier, kept);
  std::vector<NodeArgument> outputs;
  const auto given = graph_->outputs();
  for (size_t i = 0; i < request_.num_outputs; ++i) {
    outputs.push_back(is_dropped(i) ? NodeArgument() : copier.copy(given[i]));
  }
  for (GraphValue* value : kept) outputs.push_back(NodeArgument::of(*value));
  for (size_t i = given.size() - num_states_; i < given.size(); ++i) {
    outputs.push_back(copier.copy(given[i]));
  }
  made_.forward->set_outputs(std::move(outputs));
}

void Partitioner::make_backward() {
  made_.backward = make_intrusive<Graph>(graph_->shape_env());
  Graph& graph = *made_.backward;
  NodeCopier copier(*graph_, graph);
  for (const GraphValue* value : saved_) {
    copier.set(*value, graph.add_input(value->name(), value->meta()));
  }
  for (const uint32_t tangent : request_.tangents) copier.copy_input(*inputs_[tangent]);
  const std::unordered_set<const GraphValue*> saved(saved_.begin(), saved_.end());
  std::vector<bool> needed(graph_->num_value_numbers(), false);
  for (const NodeArgument& gradient : gradients()) {
    mark(needed, gradient, [&](const GraphValue& value) { return saved.contains(&value); });
  }
  for (const GraphValue* input : inputs_) {
    if (needed[input->number()] && !copier.find(*input)) copier.copy_input(*input);
  }
  for (const Node* node = graph_->first(); node; node = node->next()) {
    if (node->kind() != NodeKind::Call) continue;
    const bool is_wanted = std::ranges::any_of(node->values(), [&](const GraphValue& value) {
      return needed[value.number()] && !saved.contains(&value);
    });
    if (is_wanted) copier.copy_call(*node);
    // One of several results may have been saved while another is recomputed.
    for (const GraphValue& value : node->values()) {
      if (saved.contains(&value)) copier.set(value, *graph.find(value.name()));
    }
  }
  std::vector<NodeArgument> outputs;
  for (const NodeArgument& gradient : gradients()) outputs.push_back(copier.copy(gradient));
  graph.set_outputs(std::move(outputs));
}

// Sizes that the backward uses but none of its inputs shows.
void Partitioner::add_ints() {
  const ShapeEnvPtr& env = graph_->shape_env();
  std::vector<NodeArgument> numbers;
  for (const std::string& symbol : unbound_symbols(*made_.backward)) {
    const SymInt word = env->symbol(symbol);
    made_.backward->add_input(symbol, Value(word));
    numbers.push_back(NodeArgument::constant(Value(word)));
  }
  made_.num_saved_ints = numbers.size();
  if (numbers.empty()) return;
  const auto given = made_.forward->outputs();
  std::vector<NodeArgument> outputs(given.begin(), given.end());
  outputs.insert(outputs.end() - static_cast<std::ptrdiff_t>(num_states_), numbers.begin(),
                 numbers.end());
  made_.forward->set_outputs(std::move(outputs));
}

}  // namespace

Partition partition(const Graph& joint, const PartitionRequest& request) {
  return Partitioner(joint, request).run();
}

}  // namespace opwright
