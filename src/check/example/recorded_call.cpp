#include "opwright/check/example/recorded_call.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/autograd/engine.h"
#include "opwright/autograd/history.h"
#include "opwright/autograd/operator_node.h"
#include "opwright/autograd/tape.h"
#include "opwright/autograd/value_meta.h"
#include "opwright/base/thread_state.h"
#include "opwright/c_api.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/slot.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/tensor.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/value.h"

namespace opwright {
namespace {

// Receives the gradient of an argument.
class SourceNode final : public TapeNode {
 public:
  explicit SourceNode(const Tensor& value) { add_place(ValueMeta(value)); }
  [[nodiscard]] std::string name() const override { return "an argument"; }
  void apply(std::span<Tensor> /*gradients*/, std::span<Tensor> /*given*/) override {}
};

// The same call on detached tensors, except for those that get a source.
Example with_sources(const Example& example, const GradientSubset& subset,
                     std::vector<Edge>& sources) {
  const Example own = example.copy();
  std::vector<Tensor> tensors;
  for (const Tensor& each : own.tensors()) {
    tensors.push_back(alias_of(each));
    if (!subset[tensors.size() - 1]) continue;
    sources.push_back({TapeNodePtr::take(new SourceNode(each)), 0});
    set_history(tensors.back(), sources.back().node, 0);
  }
  return own.with_tensors(tensors);
}

Outcome run_recorded(const Example& example) {
  const AttentionScope recording(kAttentionGradOff, false);
  return run_example(example);
}

}  // namespace

GradientSubset differentiable_tensors(const Example& example) {
  GradientSubset subset;
  for (const Tensor& each : example.tensors()) subset.push_back(has_gradients(each.dtype()));
  return subset;
}

bool has_formula(const Operator& op) {
  return op.record(Slot::Autograd) || op.record(Slot::AutogradKernel) || op.seen_through_body() ||
         op.record(Slot::Decompose);
}

std::string rule_text(const Operator& op, Slot slot, const char* name) {
  for (const auto& [each, site] : Registry::get().implementations(op)) {
    if (each == slot && site.is_known()) return concatenate("its ", name, " (", site, ")");
  }
  return concatenate("its ", name);
}

std::vector<Tensor> outputs_of(const Outcome& outcome) {
  std::vector<Tensor> outputs = outcome.result_tensors();
  const Operator& op = outcome.after.op();
  for (uint64_t left = op.unreturned_args(); left != 0; left &= left - 1) {
    const Value& value = outcome.after.values()[static_cast<size_t>(std::countr_zero(left))];
    visit_tensors(value.get(),
                  [&](OpwTensor* tensor) { outputs.push_back(Tensor::borrow(tensor)); });
  }
  return outputs;
}

std::vector<Tensor> call_with(const Example& example, std::span<const size_t> places,
                              std::span<const Tensor> given) {
  const Example own = example.copy();
  std::vector<Tensor> tensors = own.tensors();
  for (size_t i = 0; i < places.size(); ++i) {
    tensors[places[i]] = own.is_written(places[i]) ? given[i].clone() : given[i];
  }
  const Outcome outcome = run_example(own.with_tensors(tensors));
  if (outcome.error) throw *outcome.error;
  return outputs_of(outcome);
}

RecordedCall::RecordedCall(const Example& example, GradientSubset subset)
    : subset_(std::move(subset)), outcome_(run_recorded(with_sources(example, subset_, sources_))) {
  if (outcome_.is_refused()) return;
  outputs_ = outputs_of(outcome_);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!has_gradients(outputs_[i].dtype()) || !requires_grad(outputs_[i])) continue;
    differentiable_.push_back(i);
    auto* found = dynamic_cast<OperatorNode*>(edge_of(outputs_[i]).node.get());
    if (found && &found->op() == &example.op()) node_ = found;
  }
}

std::vector<Tensor> RecordedCall::pull(std::span<const Tensor> gradients) const {
  const AttentionScope unrecorded(kAttentionGradOff, true);
  std::vector<RootGradient> roots;
  for (size_t i = 0; i < differentiable_.size(); ++i) {
    if (!gradients[i].is_defined()) continue;
    roots.push_back({edge_of(outputs_[differentiable_[i]]), gradients[i]});
  }
  return run_backward_to(roots, sources_, {.keeps_graph = true});
}

}  // namespace opwright
