#include "opwright/compile/backend/compiled_graph.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/compile/backend/fuse.h"
#include "opwright/compile/backend/planned_graph.h"
#include "opwright/compile/compile_log.h"
#include "opwright/compile/lower/graph_traffic.h"
#include "opwright/compile/lower/raise_parts.h"
#include "opwright/compile/lower/split_products.h"
#include "opwright/compile/lower/split_reductions.h"
#include "opwright/compile/lower/whole_views.h"
#include "opwright/compile/object/code_maker.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/registry.h"
#include "opwright/ir/passes/common_subexpressions.h"
#include "opwright/ir/passes/dead_code.h"
#include "opwright/ir/passes/whole_copies.h"
#include "opwright/run/plan.h"
#include "opwright/transforms/trace/make_fx.h"

namespace opwright {
namespace {

// Built-in operators that are decomposed. Functional forms of in-place operators stay calls.
bool is_taken_apart(const Operator& op) {
  return op.record(Slot::Decompose) && is_builtin(op) &&
         !has_property(op, Property::FunctionalForm) && !has_property(op, Property::CompiledWhole);
}

// Empty if the graph has none; otherwise all, since some decompose into others.
std::vector<const Operator*> operators_to_take_apart(const Graph& graph) {
  bool has_some = false;
  for (const Node* node = graph.first(); node; node = node->next())
    has_some |= node->kind() == NodeKind::Call && is_taken_apart(node->op());
  if (!has_some) return {};
  std::vector<const Operator*> all = Registry::get().list("aten");
  std::erase_if(all, [](const Operator* op) { return !is_taken_apart(*op); });
  return all;
}

// Its operators, then its loops.
std::string describe_nest(const FusedNest& nest) {
  std::string operators;
  for (const std::string& name : nest.operators)
    operators += (operators.empty() ? "" : ", ") + name;
  return operators + "\n" + to_text(nest.call->nest());
}

class CompiledGraph final : public Executable {
 public:
  CompiledGraph(GraphPtr source, GraphPtr fused, std::vector<FusedNest> nests)
      : source_(std::move(source)), plan_(std::move(fused)), nests_(std::move(nests)) {}

  void run(std::span<const OpwValue> arguments, std::span<OpwValue> results) const override {
    plan_.run(arguments, results);
  }
  [[nodiscard]] std::vector<Section> describe() const override;

 private:
  GraphPtr source_;
  Plan plan_;
  std::vector<FusedNest> nests_;
};

std::vector<Executable::Section> CompiledGraph::describe() const {
  std::vector<Section> sections;
  sections.push_back({.title = "graph", .text = to_text(*source_)});
  sections.push_back({.title = "fused graph", .text = to_text(plan_.graph())});
  sections.push_back({.title = "bytes", .text = traffic_text(plan_.graph())});
  for (const FusedNest& nest : nests_) {
    const NestCall& call = *nest.call;
    sections.push_back({.title = "nest", .text = describe_nest(nest)});
    sections.push_back({.title = "ir", .text = call.ir()});
    sections.push_back({.title = "assembly", .text = assembly_for(call.ir())});
  }
  return sections;
}

}  // namespace

GraphPtr lower(const Graph& graph) {
  const std::vector<const Operator*> apart = operators_to_take_apart(graph);
  const FusionTarget& target = llvm_target();
  GraphPtr lowered = apart.empty() ? graph.copy() : decompose(graph, apart);
  tell_views(*lowered);
  split_products(*lowered, target);
  split_reductions(*lowered, target);
  remove_whole_copies(*lowered);
  remove_whole_views(*lowered);
  raise_parts(*lowered, target);
  share_common_subexpressions(*lowered);
  remove_dead_code(*lowered);
  return lowered;
}

ExecutablePtr compile_graph(const GraphPtr& graph) {
  EmitTarget target;
  if (!find_emit_target(target)) return plan_graph(graph);
  GraphPtr fused = lower(*graph);
  std::vector<FusedNest> nests =
      fuse(*fused, target, [](const EmittedNest& emitted) { return code_for(emitted.ir); });
  for (const FusedNest& nest : nests) log(LogTopic::Nests, describe_nest(nest));
  if (nests.empty()) return plan_graph(graph);
  return ExecutablePtr::take(new CompiledGraph(graph, std::move(fused), std::move(nests)));
}

}  // namespace opwright
