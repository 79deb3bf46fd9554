#include "opwright/compile/training/training_node.h"

#include <algorithm>
#include <utility>

#include "opwright/autograd/backward_refusal.h"
#include "opwright/autograd/engine.h"
#include "opwright/autograd/gradient_fit.h"
#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

// An input of a function that runs again: gradients with respect to it end here, but second-order
// gradients continue.
class Entrance final : public TapeNode {
 public:
  explicit Entrance(const Tensor& input, Edge outside) {
    add_place(ValueMeta(input));
    add_edge(std::move(outside));
  }
  [[nodiscard]] std::string name() const override { return "compiled input"; }
  void apply(std::span<Tensor> gradients, std::span<Tensor> given) override {
    const Edge& outside = edges().front();
    if (gradients[0].is_defined())
      given[0] = fit_dtype(gradients[0], outside.node->meta(outside.place));
  }
};

bool is_plain(const Tensor& tensor) { return !impl(tensor).is_wrapper() && !tensor.is_fake(); }

}  // namespace

TrainingNode::TrainingNode(TrainingPlanPtr plan, TapeEdges&& edges)
    : TapeNode(std::move(edges)), plan_(std::move(plan)) {}

// ---- Saving ----

TrainingNode::Kept TrainingNode::keep(const OpwValue& value, uint32_t place) {
  Kept kept;
  if (value.tag != kOpwTensor) {
    kept.number = Value::copy_of(value);
    return kept;
  }
  Tensor tensor = Tensor::borrow(value.as_tensor);
  OPWRIGHT_CHECK((impl(tensor).flags & kOpwFlagInference) == 0, kCompiledFunction,
                 ": a tensor made in inference mode cannot be saved for backward; clone it outside "
                 "of inference mode first");
  kept.saved.version = version_of(tensor);
  kept.saved.result_place = place;
  kept.saved.tensor = place == SavedTensor::kNotAResult ? std::move(tensor) : alias_of(tensor);
  kept.packed = kept.saved.pack();
  return kept;
}

void TrainingNode::save(std::span<const OpwValue> arguments, std::span<const OpwValue> saved,
                        const Tensor& random_state) {
  const Partition& parts = plan_->parts();
  Everything kept;
  kept.saved.reserve(parts.saved.size());
  for (size_t i = 0; i < parts.saved.size(); ++i) {
    const SavedValue& value = parts.saved[i];
    uint32_t place = SavedTensor::kNotAResult;
    const auto& tangents = plan_->joint().tangents;
    for (uint32_t k = 0; k < tangents.size() && value.output != SavedValue::kNone; ++k) {
      if (!tangents[k].is_written_input && tangents[k].of == value.output) place = k;
    }
    const Tensor input =
        value.input == SavedValue::kNone ? Tensor() : plan_->input(value.input, arguments);
    kept.saved.push_back(keep(input.is_defined() ? ValueOf<Tensor>::lend(input) : saved[i], place));
  }
  for (size_t i = parts.saved.size(); i < saved.size(); ++i) {
    kept.ints.push_back(Value::copy_of(saved[i]));
  }
  const std::span<const uint32_t> inputs = plan_->primal().inputs;
  kept.inputs.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (plan_->saved_inputs()[i] != SavedValue::kNone) continue;
    const uint32_t index = inputs[i];
    const Tensor input =
        plan_->is_random_state(index) ? random_state : plan_->input(index, arguments);
    if (input.is_defined() && (impl(input).flags & kOpwFlagInference) == 0) {
      kept.inputs[i] = keep(ValueOf<Tensor>::lend(input), SavedTensor::kNotAResult);
    } else {
      kept.inputs[i].number = plan_->number(index, arguments);
    }
  }
  kept_ = std::move(kept);
}

void TrainingNode::release_saved() noexcept {
  Everything gone;
  const std::lock_guard lock(mutex_);
  std::swap(gone, kept_);
  kept_.is_released = true;
}

void TrainingNode::visit_owned(OwnedTensorVisitor& visitor) const {
  for (const Kept& kept : kept_.saved) visitor.visit(kept.saved.tensor);
  for (const Kept& kept : kept_.inputs) visitor.visit(kept.saved.tensor);
}

TrainingNode::Everything TrainingNode::take_kept() const {
  const std::lock_guard lock(mutex_);
  if (!kept_.is_released) return kept_;
  throw_backward_refusal(
      "RuntimeError",
      concatenate("the values that a ", kCompiledFunction,
                  " saved for its backward were freed by an earlier backward. Specify "
                  "retain_graph=True in the first one to run it again"));
}

Value TrainingNode::unpack(Kept kept, const std::string& name) {
  if (!kept.packed && !kept.saved.tensor.is_defined()) return std::move(kept.number);
  if (!kept.packed) {
    const uint64_t version = version_of(kept.saved.tensor);
    if (version != kept.saved.version) {
      throw_backward_refusal("RuntimeError",
                             concatenate(kCompiledFunction, ": '", name,
                                         "', saved for its backward, was modified by an in-place "
                                         "operation: it is at version ",
                                         version, ", expected ", kept.saved.version,
                                         "\n  Clone it before it is written, or write to a copy."));
    }
  }
  return Value(std::move(kept.saved).unpack(*this, kept.packed.get()));
}

// ---- Backward ----

void TrainingNode::apply(std::span<Tensor> gradients, std::span<Tensor> given) {
  const JointGraph& joint = plan_->joint();
  if (!joint.error.empty()) throw Error(joint.error_kind, joint.error);
  if (std::ranges::none_of(gradients, &Tensor::is_defined)) return;
  if (thread_state().grad_is_enabled()) {
    apply_recorded(gradients, given);
  } else {
    apply_compiled(gradients, given);
  }
  fit_dtypes(given);
}

// A leaf may want its gradient in another dtype than its own.
void TrainingNode::fit_dtypes(std::span<Tensor> given) const {
  for (size_t i = 0; i < given.size(); ++i) {
    if (const Edge& to = edges()[i]; to && given[i].is_defined())
      given[i] = fit_dtype(given[i], to.node->meta(to.place));
  }
}

void TrainingNode::apply_compiled(std::span<Tensor> gradients, std::span<Tensor> given) {
  Everything kept = take_kept();
  std::vector<bool> is_there;
  for (const Tensor& gradient : gradients) is_there.push_back(gradient.is_defined());
  const TrainingPlan::Backward backward = plan_->backward(is_there);
  const bool is_eager =
      !current_interpreter() && std::ranges::all_of(gradients, [](const Tensor& g) {
        return !g.is_defined() || is_plain(g);
      });
  std::vector<Value> owned;
  for (size_t i = 0; i < kept.saved.size(); ++i) {
    owned.push_back(unpack(std::move(kept.saved[i]), plan_->parts().saved[i].name));
  }
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].is_defined()) continue;
    owned.push_back(Value(is_eager ? plan_->lay_out(i, gradients[i]) : gradients[i]));
  }
  for (Value& number : kept.ints) owned.push_back(std::move(number));
  std::vector<OpwValue> arguments;
  for (const Value& each : owned) arguments.push_back(each.get());
  std::vector<Value> results;
  if (is_eager) {
    std::vector<OpwValue> raw(given.size());
    backward.executable->run(arguments, raw);
    for (const OpwValue& result : raw) results.push_back(Value::take(result));
  } else {
    results = evaluate(*backward.graph, arguments);
  }
  owned.clear();
  for (size_t i = 0; i < given.size(); ++i) {
    if (results[i].tag() == kOpwTensor) given[i] = ValueOf<Tensor>::take(results[i].give());
  }
}

void TrainingNode::apply_recorded(std::span<Tensor> gradients, std::span<Tensor> given) {
  const PrimalGraph& primal = plan_->primal();
  OPWRIGHT_CHECK_KIND("NotImplementedError", primal.graph, kCompiledFunction,
                      ": create_graph=True differentiates it by running it again, but ",
                      primal.why_not,
                      "\n  Call the function uncompiled where gradients of its "
                      "gradients are needed.");
  const JointGraph& joint = plan_->joint();
  Everything kept = take_kept();
  std::vector<Value> inputs;
  std::vector<Edge> targets(joint.targets.size());
  for (size_t i = 0; i < primal.inputs.size(); ++i) {
    const uint32_t saved = plan_->saved_inputs()[i];
    Value value = unpack(saved == SavedValue::kNone ? kept.inputs[i] : kept.saved[saved],
                         primal.graph->inputs()[i]->name());
    const auto target = std::ranges::find(joint.targets, primal.inputs[i]) - joint.targets.begin();
    const auto place = static_cast<size_t>(target);
    if (place < joint.targets.size() && edges()[place]) {
      const Tensor tensor = ValueOf<Tensor>::read(value.get());
      Tensor inside = alias_of(tensor);
      auto entrance = TapeNodePtr::take(new Entrance(tensor, edges()[place]));
      targets[place] = {entrance, 0};
      set_history(inside, std::move(entrance), 0);
      value = Value(inside);
    }
    inputs.push_back(std::move(value));
  }
  const std::vector<Value> outputs = evaluate_all(*primal.graph, std::move(inputs));
  std::vector<RootGradient> roots;
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].is_defined()) continue;
    if (Edge edge = edge_of(ValueOf<Tensor>::read(outputs[i].get()))) {
      roots.push_back({std::move(edge), gradients[i]});
    }
  }
  std::vector<Tensor> found = run_backward_to(roots, targets, {.keeps_graph = true});
  for (size_t i = 0; i < given.size(); ++i) given[i] = std::move(found[i]);
}

}  // namespace opwright
