#include "bridges/jax/jax_operator.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bridges/operators/core_arguments.h"
#include "bridges/operators/host_binaries.h"
#include "bridges/operators/tensor_layout.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/runtime/runtime.h"

namespace opwright::jax_bridge {
namespace {

struct KnownOperators {
  std::shared_mutex mutex;
  std::map<std::string, JaxOperator*, std::less<>> by_name;
  bridges::HostBinaries binaries{"jax", &bridges::call_import};
};
KnownOperators& known() {
  static auto* instance = new KnownOperators;
  return *instance;
}

bool can_be_attribute(const ValueType& type) {
  switch (type.kind) {
    case ValueKind::Int:
    case ValueKind::SymInt:
    case ValueKind::Float:
    case ValueKind::Bool:
      return !type.has_optional_elements;
    case ValueKind::Complex:
    case ValueKind::Scalar:
    case ValueKind::String:
    case ValueKind::DType:
    case ValueKind::Device:
    case ValueKind::Layout:
    case ValueKind::MemoryFormat:
      return !type.is_list;
    default:
      return false;
  }
}

void require_callable(const OperatorDescription& op) {
  bool writes = false;
  for (const ArgumentDescription& each : op.arguments) {
    const bool is_tensor = each.type.kind == ValueKind::Tensor;
    OPWRIGHT_CHECK_TYPE(is_tensor || can_be_attribute(each.type), op.name, ": argument '",
                        each.name, "' is a ", each.type.text,
                        ", which the bridge to jax cannot pass on");
    const bool is_plain = !each.type.is_list && !each.type.is_optional;
    OPWRIGHT_CHECK_TYPE(!each.is_written || is_plain, op.name, ": argument '", each.name,
                        "' is a written ", each.type.text,
                        "; under jax only a plain Tensor can be written");
    writes = writes || each.is_written;
  }
  for (const ResultDescription& each : op.results) {
    OPWRIGHT_CHECK_TYPE(each.type.kind == ValueKind::Tensor, op.name, ": it returns a ",
                        each.type.text, ", but under jax an operator returns tensors only");
    OPWRIGHT_CHECK_TYPE(!writes || !each.type.is_list, op.name,
                        ": it writes an argument and returns a ", each.type.text,
                        ", which the bridge to jax cannot do at once");
  }
}

// For each written argument the buffer of its new value.
std::vector<int64_t> find_written_buffers(const OperatorDescription& op) {
  std::vector<int64_t> buffers(op.arguments.size(), -1);
  auto next = static_cast<int64_t>(op.results.size());
  for (size_t i = 0; i < op.results.size(); ++i) {
    const int32_t written = op.results[i].written_argument;
    if (written >= 0) buffers[static_cast<size_t>(written)] = static_cast<int64_t>(i);
  }
  for (size_t i = 0; i < op.arguments.size(); ++i) {
    if (op.arguments[i].is_written && buffers[i] < 0) buffers[i] = next++;
  }
  return buffers;
}

}  // namespace

JaxOperator::JaxOperator(OperatorDescription of, const OpwRecord* function)
    : description(std::move(of)),
      kernel(function),
      in_core(description.name),
      written_buffers(find_written_buffers(description)) {
  if (bridges::has_fixed_layout(description))
    fixed_layout.emplace(description, std::span<const int64_t>());
}

void register_operator(const std::string& name) {
  OperatorDescription description = describe_operator(name);
  require_callable(description);
  const OpwRecord* kernel = known().binaries.find_kernel(description);
  const std::string whole_name = description.name;
  auto made = std::make_unique<JaxOperator>(std::move(description), kernel);
  const std::unique_lock lock(known().mutex);
  known().by_name[whole_name] = made.release();
}

std::vector<std::string> load_operators(const std::string& path) {
  load_library(path);  // also if it was unloaded since
  std::vector<std::string> registered;
  for (const std::string& name : known().binaries.open(path).contents().operators) {
    try {
      register_operator(name);
      registered.push_back(name);
    } catch (const Error& error) {
      if (std::string_view(error.kind()) != "TypeError") throw;
    }
  }
  return registered;
}

JaxOperator& find_operator(std::string_view name) {
  const std::shared_lock lock(known().mutex);
  const auto found = known().by_name.find(name);
  OPWRIGHT_CHECK_KIND("AttributeError", found != known().by_name.end(), "jax has no operator '",
                      name,
                      "' of Opwright; call opwright.jax.load with its binary, or "
                      "opwright.jax.register with its name, first");
  return *found->second;
}

std::string name_argument(const JaxOperator& op, size_t index) {
  return concatenate(op.description.name, ": argument '", op.description.arguments[index].name,
                     "'");
}

}  // namespace opwright::jax_bridge
