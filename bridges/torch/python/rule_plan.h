// The arguments and results of a slot's function, as listed in c_api.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/runtime/bridge.h"

namespace opwright::torch_bridge {

struct RuleArgument {
  enum class Kind : uint8_t { Typed, Untyped, Context };
  Kind kind = Kind::Typed;
  std::string name;
  ValueType type;
  const OpwValue* default_value = nullptr;  // null if required
};

struct RulePlan {
  std::vector<RuleArgument> arguments;
  bool has_rest = false;  // followed by any number of untyped ones
  bool is_own = false;    // the operator's own arguments and results, also by name
  uint32_t num_results = 0;
};

[[nodiscard]] RulePlan plan_rule(const OperatorDescription& op, const std::string& slot);

}  // namespace opwright::torch_bridge
