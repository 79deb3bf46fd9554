#include "bridges/torch/python/rule_plan.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "opwright/runtime/bridge.h"

namespace opwright::torch_bridge {
namespace {

using Kind = RuleArgument::Kind;

RuleArgument make_argument(const char* name, ValueKind kind, const char* text) {
  return {Kind::Typed, name, {kind, false, false, false, text}, nullptr};
}

const RuleArgument kContext{Kind::Context, "context", {}, nullptr};

// In a rule any of them may be omitted.
void append_arguments(RulePlan& plan, const OperatorDescription& op, size_t first = 0) {
  for (size_t i = first; i < op.arguments.size(); ++i) {
    RuleArgument argument{Kind::Typed, op.arguments[i].name, op.arguments[i].type, nullptr};
    argument.type.is_optional = true;
    plan.arguments.push_back(argument);
  }
}

void append_results(RulePlan& plan, const OperatorDescription& op) {
  for (size_t i = 0; i < op.results.size(); ++i) {
    RuleArgument argument{Kind::Typed, "result " + std::to_string(i), op.results[i].type, nullptr};
    argument.type.is_optional = true;
    plan.arguments.push_back(argument);
  }
}

uint32_t count_tensor_arguments(const OperatorDescription& op) {
  uint32_t count = 0;
  for (const ArgumentDescription& each : op.arguments)
    count += each.type.kind == ValueKind::Tensor ? 1 : 0;
  return count;
}

uint32_t count_functional_results(const OperatorDescription& op) {
  uint32_t count = 0;
  for (const ResultDescription& each : op.results) count += each.written_argument < 0 ? 1 : 0;
  for (const ArgumentDescription& each : op.arguments) count += each.is_written ? 1 : 0;
  return count;
}

RulePlan plan_own(const OperatorDescription& op) {
  RulePlan plan;
  plan.is_own = true;
  plan.num_results = static_cast<uint32_t>(op.results.size());
  for (const ArgumentDescription& each : op.arguments)
    plan.arguments.push_back({Kind::Typed, each.name, each.type, each.default_value});
  return plan;
}

RulePlan plan_vmap(const OperatorDescription& op) {
  RulePlan plan;
  plan.arguments = {make_argument("batch_size", ValueKind::SymInt, "SymInt"),
                    make_argument("randomness", ValueKind::String, "str"),
                    {Kind::Untyped, "in_dims", {}, nullptr}};
  append_arguments(plan, op);
  plan.num_results = static_cast<uint32_t>(op.results.size()) + 1;
  return plan;
}

RulePlan plan_autocast(const OperatorDescription& op) {
  RulePlan plan;
  plan.arguments = {make_argument("dtype", ValueKind::DType, "ScalarType"),
                    make_argument("device", ValueKind::Device, "Device")};
  append_arguments(plan, op);
  plan.num_results = static_cast<uint32_t>(op.arguments.size());
  return plan;
}

RulePlan plan_scatter(const OperatorDescription& op) {
  RulePlan plan;
  plan.arguments = {make_argument("base", ValueKind::Tensor, "Tensor"),
                    make_argument("value", ValueKind::Tensor, "Tensor")};
  append_arguments(plan, op, 1);
  plan.has_rest = true;
  plan.num_results = 1;
  return plan;
}

}  // namespace

RulePlan plan_rule(const OperatorDescription& op, const std::string& slot) {
  RulePlan plan;
  if (slot == "Vmap") return plan_vmap(op);
  if (slot == "Autocast") return plan_autocast(op);
  if (slot == "Scatter") return plan_scatter(op);
  if (slot == "KeepOld" || slot == "SetupContext") {
    plan.arguments = {kContext};
    append_arguments(plan, op);
    if (slot == "SetupContext")
      append_results(plan, op);
    else
      plan.num_results = static_cast<uint32_t>(op.arguments.size());
  } else if (slot == "Autograd") {
    plan.arguments = {kContext};
    plan.has_rest = true;
    plan.num_results = count_tensor_arguments(op);
  } else if (slot == "Jvp") {
    append_arguments(plan, op);
    plan.has_rest = true;
    plan.num_results = static_cast<uint32_t>(op.results.size());
  } else if (slot == "Functional") {
    append_arguments(plan, op);
    plan.num_results = count_functional_results(op);
  } else {
    return plan_own(op);
  }
  return plan;
}

}  // namespace opwright::torch_bridge
