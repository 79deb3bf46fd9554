#include "opwright/compile/training/training.h"

#include <span>
#include <utility>
#include <vector>

#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/compile/training/training_node.h"
#include "opwright/compile/training/training_plan.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/grad_mode.h"
#include "opwright/ir/graph/random_input.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// Turns the result into a value of its own, independent of what it was computed from.
void forget_view(const Tensor& result) {
  History* history = find_history(result.get());
  if (!history || !history->view) return;
  history->view = nullptr;
  history->root = Tensor();
  impl(result).flags &= ~kFlagHasBase;
}

// One run, until its results exist.
class TrainingRun {
 public:
  TrainingRun(const TrainingPlanPtr& plan, std::span<const OpwValue> arguments)
      : plan_(plan), joint_(plan->joint()), arguments_(arguments) {}

  void run(std::span<OpwValue> results) {
    is_recorded_ = thread_state().grad_is_enabled() && joint_.has_gradients();
    if (is_recorded_) check_inputs();
    if (is_recorded_ && !plan_->primal().inputs.empty()) note_random_state();
    run_forward();
    if (is_recorded_) record();
    for (size_t i = 0; i < results.size(); ++i) make_result(i);
    for (size_t i = 0; i < results.size(); ++i) results[i] = made_[i].give();
  }

 private:
  void check_inputs() const;
  void note_random_state();
  void run_forward();
  void record();
  // Called once per output.
  void make_result(size_t index);
  [[nodiscard]] Tensor make_view(const JointOutput& output, const Tensor& base,
                                 const Value& shown) const;
  [[nodiscard]] Tensor tensor_of(size_t output) const {
    return Tensor::borrow(made_[output].get().as_tensor);
  }

  const TrainingPlanPtr& plan_;
  const JointGraph& joint_;
  std::span<const OpwValue> arguments_;
  bool is_recorded_ = false;
  Tensor random_state_;
  std::vector<Value> made_;  // results of the forward, then those of the caller
  std::vector<bool> is_made_;
};

void TrainingRun::check_inputs() const {
  for (const uint32_t index : plan_->untracked()) {
    const Tensor input = plan_->input(index, arguments_);
    OPWRIGHT_CHECK(!input.is_defined() || !requires_grad(input), kCompiledFunction, ": '",
                   joint_.graph->inputs()[index]->name(),
                   "' requires grad, but did not when the function was compiled");
  }
  for (const JointGraph::Tangent& tangent : joint_.tangents) {
    if (!tangent.is_written_input) continue;
    const Tensor input = plan_->input(tangent.of, arguments_);
    OPWRIGHT_CHECK(!requires_grad(input) || !is_leaf(input), kCompiledFunction, ": '",
                   joint_.graph->inputs()[tangent.of]->name(),
                   "' is a leaf that requires grad and cannot be modified in place; write under "
                   "no_grad, or clone it first");
  }
}

void TrainingRun::note_random_state() {
  for (const uint32_t index : plan_->primal().inputs) {
    if (plan_->is_random_state(index)) random_state_ = read_random_state();
  }
}

void TrainingRun::run_forward() {
  std::vector<OpwValue> raw(plan_->num_forward_outputs());
  {
    const NoGradScope no_grad;
    plan_->forward().run(arguments_, raw);
  }
  made_.reserve(raw.size());
  is_made_.resize(joint_.num_outputs);
  for (const OpwValue& value : raw) made_.push_back(Value::take(value));
  for (size_t i = 0; i < joint_.num_outputs + joint_.num_roots; ++i) {
    const bool is_value =
        i >= joint_.num_outputs || joint_.outputs[i].kind == JointOutput::Kind::Value;
    if (is_value && made_[i].tag() == kOpwTensor) forget_view(tensor_of(i));
  }
}

// Records one node for everything that has a gradient.
void TrainingRun::record() {
  TapeEdges edges;
  bool has_edge = false;
  for (const uint32_t target : joint_.targets) {
    edges.push_back(edge_of(plan_->input(target, arguments_)));
    has_edge |= static_cast<bool>(edges.back());
  }
  if (!has_edge) return;
  auto* made = new TrainingNode(plan_, std::move(edges));
  const auto node = TapeNodePtr::take(made);
  std::vector<Tensor> results;
  for (const JointGraph::Tangent& tangent : joint_.tangents) {
    if (!tangent.is_written_input && tangent.of < joint_.num_outputs) make_result(tangent.of);
    results.push_back(tangent.is_written_input ? plan_->input(tangent.of, arguments_)
                                               : tensor_of(tangent.of));
    made->add_place(ValueMeta(results.back()));
  }
  std::vector<OpwValue> saved;
  for (size_t i = joint_.num_outputs + joint_.num_roots; i < made_.size(); ++i) {
    saved.push_back(made_[i].get());
  }
  made->save(arguments_, saved, random_state_);
  for (uint32_t place = 0; place < results.size(); ++place) {
    if (joint_.tangents[place].is_written_input) {
      rebase(results[place], node, place);
    } else {
      set_history(results[place], node, place);
    }
  }
}

Tensor TrainingRun::make_view(const JointOutput& output, const Tensor& base,
                              const Value& shown) const {
  const GradModeScope grad_mode(thread_state().grad_is_enabled() && !output.is_under_no_grad);
  if (!output.steps.empty()) return replay(output.steps, base);
  const Tensor view = ValueOf<Tensor>::read(shown.get());
  OPWRIGHT_CHECK_KIND("NotImplementedError", view.dtype() == base.dtype(), kCompiledFunction,
                      ": it returns a view of symbolic sizes in another dtype than that of what it "
                      "is a view of\n  Call the function uncompiled, or clone what it returns.");
  const SymGeometry geometry = sym_geometry_of(view);
  return as_strided(output.is_detached ? base.detach() : base, geometry.sizes, geometry.strides,
                    geometry.offset);
}

void TrainingRun::make_result(size_t index) {
  const JointOutput& output = joint_.outputs[index];
  if (is_made_[index]) return;
  is_made_[index] = true;
  switch (output.kind) {
    case JointOutput::Kind::Value:
      return;
    case JointOutput::Kind::Input:
      made_[index] = Value(plan_->input(output.of, arguments_));
      return;
    case JointOutput::Kind::Gradient:
      made_[index] = Value(gradient_of(plan_->input(output.of, arguments_)));
      return;
    case JointOutput::Kind::Same:
      made_[index] = made_[output.of];
      return;
    case JointOutput::Kind::ViewOfInput:
      made_[index] = Value(make_view(output, plan_->input(output.of, arguments_), made_[index]));
      return;
    case JointOutput::Kind::ViewOfOutput:
      made_[index] = Value(make_view(output, tensor_of(output.of), made_[index]));
      return;
  }
}

class CompiledTraining final : public Executable {
 public:
  explicit CompiledTraining(TrainingPlanPtr plan) : plan_(std::move(plan)) {}

  void run(std::span<const OpwValue> arguments, std::span<OpwValue> results) const override {
    TrainingRun(plan_, arguments).run(results);
  }
  [[nodiscard]] std::vector<Section> describe() const override;

 private:
  TrainingPlanPtr plan_;
};

std::vector<Executable::Section> CompiledTraining::describe() const {
  std::vector<Section> sections;
  const auto add = [&](const char* which, const Executable& part) {
    for (Section& section : part.describe()) {
      sections.push_back({concatenate(which, ": ", section.title), std::move(section.text)});
    }
  };
  std::string saved;
  for (const SavedValue& value : plan_->parts().saved) saved.append(value.name).append("\n");
  saved.append(concatenate(plan_->parts().saved_bytes, " bytes\n"));
  add("forward", plan_->forward());
  sections.push_back({"saved for backward", std::move(saved)});
  const std::vector<bool> all(plan_->joint().tangents.size(), true);
  if (!all.empty()) add("backward", *plan_->backward(all).executable);
  return sections;
}

}  // namespace

ExecutablePtr compile_training(JointGraph joint, const Backend& backend) {
  return ExecutablePtr::take(
      new CompiledTraining(TrainingPlanPtr::take(new TrainingPlan(std::move(joint), backend))));
}

}  // namespace opwright
