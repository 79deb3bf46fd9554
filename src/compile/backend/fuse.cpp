#include "opwright/compile/backend/fuse.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "opwright/compile/fuse/fusion_plan.h"
#include "opwright/compile/fuse/nest_plan.h"
#include "opwright/compile/fuse/reused_memory.h"
#include "opwright/ir/graph/infer.h"
#include "opwright/ir/passes/dead_code.h"
#include "opwright/ir/passes/effects.h"
#include "opwright/value.h"

namespace opwright {
namespace {

NodeArgument list_of(const std::vector<GraphValue*>& values) {
  if (values.empty()) return NodeArgument::constant(Value(std::vector<Tensor>{}));
  std::vector<NodeArgument> elements;
  for (GraphValue* value : values) elements.push_back(NodeArgument::of(*value));
  return NodeArgument::list(std::move(elements));
}

// A planned group, in terms of the original graph.
struct PlannedNest {
  const FusionGroup* group;
  NestPlan plan;
  GraphValue* written;  // null: all results are new
  Node* write_back;     // a copy that becomes unnecessary; null if none
};

class Fuser {
 public:
  Fuser(Graph& graph, const EmitTarget& target, const MakeCode& make_code)
      : graph_(graph), target_(target), make_code_(make_code) {}

  std::vector<FusedNest> run() {
    const FusionPlan plan = plan_fusion(graph_, llvm_target());
    for (PlannedNest& planned : plan_nests(plan)) put(planned);
    return std::move(fused_);
  }

 private:
  std::vector<PlannedNest> plan_nests(const FusionPlan& plan);
  void put(PlannedNest& planned);
  [[nodiscard]] CallDescription describe(const PlannedNest& planned, const FusedNest& fused) const;
  // The current replacement of a value.
  [[nodiscard]] GraphValue* now(GraphValue* value) const {
    const auto found = replaced_.find(value);
    return found == replaced_.end() ? value : found->second;
  }

  Graph& graph_;
  const EmitTarget& target_;
  const MakeCode& make_code_;
  std::unordered_map<GraphValue*, GraphValue*> replaced_;
  std::vector<FusedNest> fused_;
};

std::vector<PlannedNest> Fuser::plan_nests(const FusionPlan& plan) {
  const ReusedMemory memory(graph_);
  std::vector<PlannedNest> planned;
  for (const FusionGroup& group : plan.groups) {
    std::vector<const FusionGroup::Member*> outputs = plan.outputs(group);
    if (outputs.empty() || outputs.size() > kMostNestResults) continue;
    const std::optional<ReusedMemory::Choice> reused = memory.choose(group, outputs);
    if (reused) std::swap(*std::ranges::find(outputs, reused->output), outputs.front());
    NestPlan nest = plan_nest(plan, group, outputs, graph_.shape_env().get());
    if (reused) {
      // It is read in the shape in which it is written, so that both are known to be the same
      // memory.
      const auto read = std::ranges::find(nest.inputs, reused->root);
      if (read != nest.inputs.end()) {
        const auto place = static_cast<size_t>(read - nest.inputs.begin());
        *read = reused->memory;
        nest.tensors[place] = nest.tensors[nest.inputs.size()];
      }
    }
    planned.push_back({.group = &group,
                       .plan = std::move(nest),
                       .written = reused ? reused->memory : nullptr,
                       .write_back = reused ? reused->write_back : nullptr});
  }
  return planned;
}

CallDescription Fuser::describe(const PlannedNest& planned, const FusedNest& fused) const {
  const Node& last = *planned.group->nodes.back();
  std::vector<GraphValue*> inputs;
  for (GraphValue* input : planned.plan.inputs) inputs.push_back(now(input));
  std::vector<NodeArgument> args;
  args.push_back(NodeArgument::constant(nest_value(fused.call)));
  args.push_back(list_of(inputs));
  if (planned.written) args.push_back(NodeArgument::of(*now(planned.written)));
  args.push_back(NodeArgument::constant(Value(planned.plan.numbers)));
  CallDescription call =
      describe_call_at(last, nest_operator(planned.plan.outputs.size(), planned.written != nullptr),
                       std::move(args));
  for (const GraphValue* output : planned.plan.outputs) {
    call.results.push_back(output->meta());
    call.names.push_back(output->name() + "_fused");
  }
  return call;
}

void Fuser::put(PlannedNest& planned) {
  EmittedNest emitted = emit_llvm(planned.plan.nest, target_);
  ObjectCodePtr code = make_code_(emitted);
  if (!code) return;
  FusedNest fused{
      .call = NestCallPtr::take(new NestCall(planned.plan, std::move(emitted), std::move(code)))};
  for (const Node* node : planned.group->nodes) fused.operators.push_back(node->op().name());
  Node& node = graph_.insert_call(describe(planned, fused), planned.group->nodes.back()->next());
  for (size_t i = 0; i < planned.plan.outputs.size(); ++i) {
    GraphValue* output = planned.plan.outputs[i];
    graph_.replace_uses(*output, node.values()[i]);
    replaced_[output] = &node.values()[i];
  }
  if (planned.write_back) {
    graph_.replace_uses(planned.write_back->values()[0], node.values()[0]);
    graph_.erase(*planned.write_back);
  }
  fused_.push_back(std::move(fused));
}

// ---- The order ----

// Kahn's algorithm in original order; a node with an effect stays after all nodes before it and
// before all nodes after it.
class Sorter {
 public:
  explicit Sorter(Graph& graph) : graph_(graph) {
    for (Node* node = graph.first(); node; node = node->next()) {
      if (node->kind() != NodeKind::Call) continue;
      places_.emplace(node, nodes_.size());
      nodes_.push_back(node);
    }
    waits_.resize(nodes_.size(), 0);
    users_.resize(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) add_needs(i);
  }

  void run() {
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (waits_[i] == 0) ready.push(i);
    }
    while (!ready.empty()) {
      const size_t next = ready.top();
      ready.pop();
      graph_.move_before(*nodes_[next], *graph_.output());
      for (const size_t user : users_[next]) {
        if (--waits_[user] == 0) ready.push(user);
      }
    }
  }

 private:
  void add_edge(size_t from, size_t to) {
    users_[from].push_back(to);
    ++waits_[to];
  }
  void add_needs(size_t place) {
    for (const NodeArgument& argument : nodes_[place]->args()) {
      argument.visit_values([&](const GraphValue& value) {
        const auto found = places_.find(&value.node());
        if (found != places_.end()) add_edge(found->second, place);
      });
    }
    if (barrier_ != kNone) add_edge(barrier_, place);
    if (!is_barrier(*nodes_[place])) return;
    for (size_t before = barrier_ == kNone ? 0 : barrier_ + 1; before < place; ++before)
      add_edge(before, place);
    barrier_ = place;
  }
  // A nest that overwrites a value of the run is ordered by its values alone.
  static bool is_barrier(const Node& node) {
    const bool is_nest = !node.args().empty() && find_nest(node.args()[0].constant().get());
    return has_effect(node) && !is_nest;
  }

  static constexpr size_t kNone = SIZE_MAX;
  Graph& graph_;
  std::vector<Node*> nodes_;
  std::unordered_map<const Node*, size_t> places_;
  std::vector<size_t> waits_;
  std::vector<std::vector<size_t>> users_;
  size_t barrier_ = kNone;
};

}  // namespace

std::vector<FusedNest> fuse(Graph& graph, const EmitTarget& target, const MakeCode& make_code) {
  std::vector<FusedNest> fused = Fuser(graph, target, make_code).run();
  Sorter(graph).run();
  remove_dead_code(graph);
  return fused;
}

}  // namespace opwright
