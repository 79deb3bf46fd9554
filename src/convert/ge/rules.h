// The core's own rules for GE, by family. A new rule goes into its family's file, and into the
// table of prototypes if its op is new.
#pragma once

#include <span>

#include "opwright/convert/ge/graph_builder.h"
#include "opwright/convert/ge/graph_conversion.h"

namespace opwright::graph_engine {

struct BuiltinRule {
  const char* op;  // "aten::add.Tensor"
  // `op_name` belongs to the rule, so that one function serves many operators.
  GeValues (*convert)(GraphBuilder& g, const Call& call, const char* op_name);
  const char* op_name = "";
};

[[nodiscard]] std::span<const BuiltinRule> pointwise_rules();
[[nodiscard]] std::span<const BuiltinRule> shape_rules();
[[nodiscard]] std::span<const BuiltinRule> index_rules();
[[nodiscard]] std::span<const BuiltinRule> product_rules();
[[nodiscard]] std::span<const BuiltinRule> reduction_rules();
[[nodiscard]] std::span<const BuiltinRule> loss_rules();

// All of them: add a new family here as well.
using RuleFamily = std::span<const BuiltinRule> (*)();
inline constexpr RuleFamily kRuleFamilies[] = {&pointwise_rules, &shape_rules,     &index_rules,
                                               &product_rules,   &reduction_rules, &loss_rules};

}  // namespace opwright::graph_engine
