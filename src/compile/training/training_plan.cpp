#include "opwright/compile/training/training_plan.h"

#include <algorithm>
#include <optional>

#include "opwright/autograd/value_meta.h"
#include "opwright/compile/training/backward_copy.h"
#include "opwright/functions.h"
#include "opwright/ir/graph/random_input.h"

namespace opwright {
namespace {

Partition split_joint(const JointGraph& joint) {
  std::vector<uint32_t> tangents;
  for (const JointGraph::Tangent& tangent : joint.tangents) tangents.push_back(tangent.input);
  std::vector<bool> is_dropped;
  for (const JointOutput& output : joint.outputs) {
    const bool is_view = output.kind == JointOutput::Kind::ViewOfInput ||
                         output.kind == JointOutput::Kind::ViewOfOutput;
    is_dropped.push_back(is_view ? !output.steps.empty() : output.kind != JointOutput::Kind::Value);
  }
  return partition(*joint.graph, {.tangents = tangents,
                                  .num_outputs = joint.num_outputs + joint.num_roots,
                                  .is_dropped = std::move(is_dropped)});
}

}  // namespace

TrainingPlan::TrainingPlan(JointGraph joint, Backend backend)
    : joint_(std::move(joint)),
      backend_(std::move(backend)),
      parts_(split_joint(joint_)),
      primal_(make_primal_graph(joint_)),
      forward_(backend_(parts_.forward)),
      num_forward_outputs_(parts_.forward->outputs().size() -
                           count_random_states(*parts_.forward)) {
  find_inputs();
  find_layouts();
  // Compilation may add guards on symbols, which must be known before the function runs again.
  const ShapeEnvPtr& env = joint_.graph->shape_env();
  if (joint_.has_gradients() && env && !env->symbols().empty()) {
    (void)backward(std::vector<bool>(joint_.tangents.size(), true));
  }
}

void TrainingPlan::find_inputs() {
  uint32_t next = 0;
  uint32_t index = 0;
  for (const GraphValue* value : joint_.graph->inputs()) {
    const Node& node = value->node();
    Input input;
    const bool is_tangent = std::ranges::find(joint_.tangents, index,
                                              &JointGraph::Tangent::input) != joint_.tangents.end();
    if (node.role() == InputRole::Argument && !is_tangent) input.argument = next++;
    input.bound = node.bound();
    input.is_state = node.role() == InputRole::RandomState;
    const bool is_target = std::ranges::find(joint_.targets, index) != joint_.targets.end();
    const Tensor meta = value->tensor();
    const bool can_require = meta.is_defined() && has_gradients(meta.dtype()) &&
                             (node.role() == InputRole::Captured || input.argument != UINT32_MAX);
    if (can_require && !is_target) untracked_.push_back(index);
    inputs_.push_back(std::move(input));
    ++index;
  }
  for (const uint32_t each : primal_.inputs) {
    const auto saved = std::ranges::find(parts_.saved, each, &SavedValue::input);
    const bool is_saved = saved != parts_.saved.end();
    saved_inputs_.push_back(is_saved ? static_cast<uint32_t>(saved - parts_.saved.begin())
                                     : SavedValue::kNone);
  }
}

// By the hints of this run: a condition would become a guard.
void TrainingPlan::find_layouts() {
  const std::vector<GraphValue*> inputs = joint_.graph->inputs();
  for (const JointGraph::Tangent& tangent : joint_.tangents) {
    const Tensor meta = inputs[tangent.input]->tensor();
    Layout layout;
    layout.is_symbolic = meta.is_symbolic();
    if (layout.is_symbolic) {
      const ShapeEnv& env = *joint_.graph->shape_env();
      const SymGeometry shown = sym_geometry_of(meta);
      std::optional<int64_t> dense = 1;
      for (size_t i = shown.sizes.size(); i-- > 0;) {
        const std::optional<int64_t> size = env.hint(shown.sizes[i]);
        layout.is_contiguous &= size == 1 || env.hint(shown.strides[i]) == dense;
        if (!size) break;
        dense = *dense * *size;
      }
    } else {
      layout.geometry = geometry_of(meta);
    }
    layouts_.push_back(std::move(layout));
  }
}

Tensor TrainingPlan::lay_out(size_t tangent, const Tensor& gradient) const {
  const Layout& layout = layouts_[tangent];
  if (layout.is_symbolic) return layout.is_contiguous ? gradient.contiguous() : gradient;
  const auto& [sizes, strides, offset] = layout.geometry;
  const std::span<const int64_t> own = gradient.strides();
  bool is_same = true;
  for (size_t i = 0; i < sizes.size(); ++i) is_same &= sizes[i] < 2 || own[i] == strides[i];
  if (is_same) return gradient;
  const SymSizes wanted(sizes.begin(), sizes.end());
  const SymSizes steps(strides.begin(), strides.end());
  return copy(empty_strided(wanted, steps, gradient.dtype(), {}, gradient.device()), gradient);
}

Tensor TrainingPlan::input(uint32_t index, std::span<const OpwValue> arguments) const {
  const Input& input = inputs_[index];
  if (input.argument == UINT32_MAX) return input.bound;
  const OpwValue& given = arguments[input.argument];
  return given.tag == kOpwTensor ? Tensor::borrow(given.as_tensor) : Tensor();
}

Value TrainingPlan::number(uint32_t index, std::span<const OpwValue> arguments) const {
  const uint32_t argument = inputs_[index].argument;
  return argument == UINT32_MAX ? Value() : Value::copy_of(arguments[argument]);
}

// Compiled without the mutex: a backend may wait for a lock of the host language (the GIL).
TrainingPlan::Backward TrainingPlan::backward(const std::vector<bool>& is_there) const {
  const auto find = [&]() -> const Backward* {
    const auto found =
        std::ranges::find(backwards_, is_there, &std::pair<std::vector<bool>, Backward>::first);
    return found == backwards_.end() ? nullptr : &found->second;
  };
  {
    const std::lock_guard lock(mutex_);
    if (const Backward* known = find()) return *known;
  }
  Backward made;
  made.graph = make_backward_for(*parts_.backward, parts_.saved.size(), is_there);
  made.executable = backend_(made.graph);
  const std::lock_guard lock(mutex_);
  if (const Backward* known = find()) return *known;
  backwards_.emplace_back(is_there, made);
  return made;
}

}  // namespace opwright
