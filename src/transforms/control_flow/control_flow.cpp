#include "opwright/transforms/control_flow/control_flow.h"

#include <algorithm>
#include <utility>

#include "opwright/dispatch/call.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ir/graph/graph_object.h"
#include "opwright/transforms/control_flow/sub_graph.h"

namespace opwright {
namespace {

// Whether the tensor's data can be read now.
bool has_data(const Tensor& tensor) {
  return (tensor.get()->flags & (kOpwFlagFake | kOpwFlagWrapped)) == 0 && !current_interpreter();
}

void check_predicate(const char* who, const Tensor& pred) {
  OPWRIGHT_CHECK_VALUE(pred.is_defined() && pred.sym_numel() == 1, who,
                       ": the condition must be a tensor of one element, got ", pred);
}

std::vector<Tensor> call_operator(const char* name, std::span<const OpwValue> args) {
  const Operator& op = Registry::get().require(name);
  OpwValue result{};
  call(op, args, Results(&result, 1));
  return ValueOf<std::vector<Tensor>>::take(result);
}

OpwValue lend_tensors(const std::vector<Tensor>& tensors) {
  return ValueOf<std::vector<Tensor>>::lend(tensors);
}

}  // namespace

bool is_true(const Tensor& pred) { return pred.item().to<double>() != 0; }

std::vector<Tensor> cond(const Tensor& pred, const Branch& true_branch, const Branch& false_branch,
                         std::span<const Tensor> operands) {
  check_predicate("cond", pred);
  if (has_data(pred)) return is_true(pred) ? true_branch(operands) : false_branch(operands);
  SubGraphs branches("cond", operands, SubGraphs::Operands::Passed);
  branches.trace("true_fn", true_branch);
  branches.trace("false_fn", false_branch);
  branches.close();
  branches.check_same_results();
  const Value true_graph = graph_value(branches.graph(0));
  const Value false_graph = graph_value(branches.graph(1));
  const OpwValue args[] = {ValueOf<Tensor>::lend(pred), true_graph.get(), false_graph.get(),
                           lend_tensors(branches.operands()),
                           ValueOf<std::vector<SymInt>>::lend(branches.sizes())};
  return call_operator("opwright::cond", args);
}

std::vector<Tensor> while_loop(const Branch& condition, const Branch& body,
                               std::span<const Tensor> carried) {
  const bool is_eager = !current_interpreter() && std::ranges::all_of(carried, has_data);
  if (is_eager) {
    std::vector<Tensor> values(carried.begin(), carried.end());
    for (;;) {
      const std::vector<Tensor> holds = condition(values);
      OPWRIGHT_CHECK_VALUE(holds.size() == 1, "while_loop: cond_fn must return one tensor, got ",
                           holds.size());
      check_predicate("while_loop", holds.front());
      if (!is_true(holds.front())) return values;
      std::vector<Tensor> next = body(values);
      check_carried(values, next);
      values = std::move(next);
    }
  }
  SubGraphs parts("while_loop", carried, SubGraphs::Operands::Carried);
  parts.trace("cond_fn", condition);
  parts.trace("body_fn", body);
  parts.close();
  parts.check_loop();
  const Value condition_graph = graph_value(parts.graph(0));
  const Value body_graph = graph_value(parts.graph(1));
  const std::vector<Tensor> own(parts.operands().begin(),
                                parts.operands().begin() + static_cast<int64_t>(carried.size()));
  const std::vector<Tensor> captured(
      parts.operands().begin() + static_cast<int64_t>(carried.size()), parts.operands().end());
  const OpwValue args[] = {condition_graph.get(), body_graph.get(), lend_tensors(own),
                           lend_tensors(captured),
                           ValueOf<std::vector<SymInt>>::lend(parts.sizes())};
  return call_operator("opwright::while_loop", args);
}

}  // namespace opwright
