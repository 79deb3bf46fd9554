// The core's own rules for ONNX, by family. A new rule goes into its family's file and its test.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "opwright/dtype.h"
#include "opwright/runtime/onnx.h"

namespace opwright::onnx {

struct BuiltinRule {
  const char* op;  // "aten::add.Tensor"
  Rule rule;
  int64_t since_opset = 12;
};

[[nodiscard]] std::span<const BuiltinRule> pointwise_rules();
[[nodiscard]] std::span<const BuiltinRule> comparison_rules();
[[nodiscard]] std::span<const BuiltinRule> activation_rules();
[[nodiscard]] std::span<const BuiltinRule> creation_rules();
[[nodiscard]] std::span<const BuiltinRule> view_rules();
[[nodiscard]] std::span<const BuiltinRule> stride_rules();
[[nodiscard]] std::span<const BuiltinRule> join_rules();
[[nodiscard]] std::span<const BuiltinRule> index_rules();
[[nodiscard]] std::span<const BuiltinRule> scatter_rules();
[[nodiscard]] std::span<const BuiltinRule> reduction_rules();
[[nodiscard]] std::span<const BuiltinRule> moment_rules();
[[nodiscard]] std::span<const BuiltinRule> sorting_rules();
[[nodiscard]] std::span<const BuiltinRule> product_rules();
[[nodiscard]] std::span<const BuiltinRule> convolution_rules();
[[nodiscard]] std::span<const BuiltinRule> pooling_rules();
[[nodiscard]] std::span<const BuiltinRule> normalization_rules();
[[nodiscard]] std::span<const BuiltinRule> attention_rules();
[[nodiscard]] std::span<const BuiltinRule> resampling_rules();
[[nodiscard]] std::span<const BuiltinRule> recurrent_rules();
[[nodiscard]] std::span<const BuiltinRule> loss_rules();
[[nodiscard]] std::span<const BuiltinRule> control_flow_rules();

// All of them: add a new family here as well.
using RuleFamily = std::span<const BuiltinRule> (*)();
inline constexpr RuleFamily kRuleFamilies[] = {
    &pointwise_rules,    &comparison_rules,  &activation_rules, &creation_rules,
    &view_rules,         &stride_rules,      &join_rules,       &index_rules,
    &scatter_rules,      &reduction_rules,   &moment_rules,     &sorting_rules,
    &product_rules,      &convolution_rules, &pooling_rules,    &normalization_rules,
    &attention_rules,    &resampling_rules,  &recurrent_rules,  &loss_rules,
    &control_flow_rules,
};

// How a call with complex tensors becomes nodes on pairs of reals, along a last dimension that the
// tensor does not have; null if there is no such rule.
[[nodiscard]] Rule find_complex_rule(std::string_view op);
// Of the parts of complex numbers.
[[nodiscard]] DType real_dtype_of(DType dtype);

}  // namespace opwright::onnx
