// What the stable ABI can pass, and the plans for that.
#include <cstddef>
#include <cstdint>
#include <string>

#include "bridges/torch/stable_abi.h"
#include "bridges/torch/stack_values.h"
#include "bridges/torch/torch_operator.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"

namespace opwright::torch_bridge {
namespace {

constexpr uint64_t kNever = ~uint64_t{0};

// The first version of torch whose stack supports the type.
uint64_t version_that_carries(const ValueType& type) {
  switch (type.kind) {
    case ValueKind::Tensor:
    case ValueKind::Int:
    case ValueKind::SymInt:
    case ValueKind::Float:
    case ValueKind::Bool:
    case ValueKind::DType:
      return type.is_list ? torch_version(2, 10) : torch_version(2, 9);
    case ValueKind::String:
    case ValueKind::Device:
    case ValueKind::Layout:
    case ValueKind::MemoryFormat:
      return torch_version(2, 10);
    case ValueKind::Generator:
      return torch_version(2, 13);
    case ValueKind::Complex:
    case ValueKind::Scalar:
    case ValueKind::Any:
    case ValueKind::Other:
      return kNever;
  }
  return kNever;
}

std::string explain(const std::string& who, const std::string& what, const ValueType& type) {
  const uint64_t version = version_that_carries(type);
  if (version <= torch_abi.version) return "";
  if (version == kNever) {
    return concatenate(who, ": torch's stable ABI cannot carry ", what, " (", type.text, ")");
  }
  return concatenate(who, ": ", what, " (", type.text, ") needs torch ", version >> 56, ".",
                     version >> 48 & 0xff, " or newer, this is torch ", torch_version_text());
}

StackType make_type(const ValueType& type, bool is_written) {
  return {.kind = type.kind,
          .is_optional = type.is_optional,
          .is_list = type.is_list,
          .has_optional_elements = type.has_optional_elements,
          .is_written = is_written};
}

}  // namespace

std::string uncarried_reason(const OperatorDescription& description) {
  require_torch();
  for (const ArgumentDescription& each : description.arguments) {
    std::string reason =
        explain(description.name, concatenate("argument '", each.name, "'"), each.type);
    if (!reason.empty()) return reason;
  }
  for (size_t i = 0; i < description.results.size(); ++i) {
    std::string reason =
        explain(description.name, concatenate("result ", i), description.results[i].type);
    if (!reason.empty()) return reason;
  }
  return "";
}

StackPlan make_stack_plan(const OperatorDescription& description) {
  StackPlan plan;
  for (const ArgumentDescription& each : description.arguments) {
    const StackType type = make_type(each.type, each.is_written);
    plan.arguments.push_back(type);
    plan.writes |= each.is_written;
    plan.num_tensors += type.kind == ValueKind::Tensor && !type.is_list ? 1 : 0;
  }
  for (const ResultDescription& each : description.results) {
    plan.results.push_back(make_type(each.type, each.written_argument >= 0));
    plan.has_views |= each.viewed_argument >= 0;
  }
  return plan;
}

}  // namespace opwright::torch_bridge
