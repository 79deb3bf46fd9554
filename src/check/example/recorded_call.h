// A call of an operator with recording on, and the gradients through it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "opwright/autograd/operator_node.h"
#include "opwright/autograd/tape.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/slot.h"
#include "opwright/tensor.h"

namespace opwright {

// Which of Example::tensors() require grad.
using GradientSubset = std::vector<bool>;

// All tensors of a floating or complex dtype.
[[nodiscard]] GradientSubset differentiable_tensors(const Example& example);

// Whether a call can be differentiated, by a formula or through the calls of its body.
[[nodiscard]] bool has_formula(const Operator& op);

// "its backward formula (gain.py:12)": a rule with the author's line, if known.
[[nodiscard]] std::string rule_text(const Operator& op, Slot slot, const char* name);

class RecordedCall {
 public:
  // Runs on a copy. The chosen tensors require grad as non-leaf tensors, so that an operator may
  // write them; the others do not require grad.
  RecordedCall(const Example& example, GradientSubset subset);

  [[nodiscard]] const Outcome& outcome() const noexcept { return outcome_; }
  [[nodiscard]] const GradientSubset& subset() const noexcept { return subset_; }
  // The tensors of the results, then the written arguments that are not results. Empty if it
  // failed.
  [[nodiscard]] const std::vector<Tensor>& outputs() const noexcept { return outputs_; }
  // Which of them carry a gradient.
  [[nodiscard]] const std::vector<size_t>& differentiable() const noexcept {
    return differentiable_;
  }
  // The node of the call itself; null if there is none, for example because the body was recorded.
  [[nodiscard]] OperatorNode* node() const noexcept { return node_; }
  // The gradients of the chosen tensors, in order, for one gradient per differentiable output;
  // undefined: none. Can be called repeatedly.
  [[nodiscard]] std::vector<Tensor> pull(std::span<const Tensor> gradients) const;

 private:
  GradientSubset subset_;
  std::vector<Edge> sources_;
  Outcome outcome_;
  std::vector<Tensor> outputs_;
  std::vector<size_t> differentiable_;
  OperatorNode* node_ = nullptr;
};

// Like RecordedCall::outputs(), for any successful outcome.
[[nodiscard]] std::vector<Tensor> outputs_of(const Outcome& outcome);

// The outputs as a function of some of Example::tensors(). Written tensors are copied, so leaves
// are accepted. Errors of the call are passed on.
[[nodiscard]] std::vector<Tensor> call_with(const Example& example, std::span<const size_t> places,
                                            std::span<const Tensor> given);

}  // namespace opwright
