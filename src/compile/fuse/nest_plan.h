// NestPlan: a group as a nest, with the inputs and outputs of its call.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "opwright/compile/fuse/fusion_plan.h"
#include "opwright/compile/fuse/nest.h"
#include "opwright/symint.h"

namespace opwright {

// Memory layout of a tensor of a nest.
struct NestTensor {
  DType dtype{};
  std::vector<NestExtent> sizes = {};
  std::vector<NestExtent> strides = {};
  friend bool operator==(const NestTensor&, const NestTensor&) = default;
};

// The operands of the nest are the inputs, then the outputs.
struct NestPlan {
  Nest nest;
  std::vector<GraphValue*> inputs;
  std::vector<GraphValue*> outputs;
  std::vector<NestTensor> tensors;  // one per operand
  // numbers[number] is the dynamic stride of an operand along a loop.
  struct StrideNumber {
    uint32_t operand = 0;
    uint32_t loop = 0;
    uint32_t number = 0;
    friend bool operator==(const StrideNumber&, const StrideNumber&) = default;
  };
  std::vector<StrideNumber> stride_numbers;
  std::vector<SymInt> numbers;
};

// `outputs` are the values used outside, in output order. `env` owns the symbols; null if there are
// none.
[[nodiscard]] NestPlan plan_nest(const FusionPlan& plan, const FusionGroup& group,
                                 const std::vector<const FusionGroup::Member*>& outputs,
                                 const ShapeEnv* env);

}  // namespace opwright
