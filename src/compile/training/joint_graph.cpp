#include "opwright/compile/training/joint_graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "opwright/autograd/backward_refusal.h"
#include "opwright/autograd/boundary.h"
#include "opwright/autograd/engine.h"
#include "opwright/autograd/gradient_flow.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/grad_mode.h"
#include "opwright/ir/graph/node_call.h"
#include "opwright/ir/passes/shared_memory.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

constexpr const char* kOutside =
    "\n  Do so outside of the compiled function, or call the function uncompiled.";

// An input tensor at the level of the trace.
struct JointInput {
  Tensor own;
  uint32_t index;      // among the inputs of the graph
  bool required_grad;  // when it was added
};

bool has_symbolic_step(std::span<const ViewRecordPtr> steps) {
  return std::ranges::any_of(steps, [](const ViewRecordPtr& step) {
    return std::ranges::any_of(step->rest,
                               [](const OpwValue& value) { return has_symbols(value); });
  });
}

Node* last_node(const Graph& graph) {
  Node* last = graph.first();
  while (last && last->next()) last = last->next();
  return last;
}

// Ends the trace of a function that is trained.
class JointCapture {
 public:
  JointCapture(TraceSession& session, std::span<const Tensor> own_arguments,
               std::span<const OpwValue> outputs);
  JointGraph finish();

 private:
  void find_inputs(std::span<const Tensor> own_arguments);
  void check_inputs() const;
  [[nodiscard]] const JointInput* find_input(const OpwTensor* own) const;
  [[nodiscard]] const JointInput* find_leaf_of(size_t output) const;
  void classify_outputs();
  void classify_view(uint32_t output);
  void add_roots();
  void add_tangents();
  Tensor add_tangent(const Tensor& of, JointGraph::Tangent tangent);
  void visit_tape();
  void add_targets();
  void compute_gradients();
  void check_backward(const Node* last_of_forward) const;
  [[nodiscard]] GraphPtr make_graph();

  TraceSession& session_;
  Trace& trace_;
  std::vector<Value> given_;     // what the function returned
  std::vector<Tensor> outputs_;  // at the level of the trace, then roots; undefined if not a tensor
  std::vector<JointInput> inputs_;
  std::vector<RootGradient> root_gradients_;
  std::unordered_map<const OpwTensor*, TapeNodePtr> boundaries_;  // by fake tensor
  std::vector<Edge> target_edges_;
  std::vector<Tensor> gradients_;  // one per target
  JointGraph joint_;
};

JointCapture::JointCapture(TraceSession& session, std::span<const Tensor> own_arguments,
                           std::span<const OpwValue> outputs)
    : session_(session), trace_(session.trace()) {
  for (const OpwValue& output : outputs) {
    given_.push_back(Value::copy_of(output));
    const bool is_tensor = output.tag == kOpwTensor && output.as_tensor;
    outputs_.push_back(is_tensor ? trace_.own(Tensor::borrow(output.as_tensor)) : Tensor());
  }
  joint_.num_outputs = outputs.size();
  find_inputs(own_arguments);
}

void JointCapture::find_inputs(std::span<const Tensor> own_arguments) {
  size_t next = 0;
  uint32_t index = 0;
  for (const GraphValue* input : trace_.graph().inputs()) {
    const Node& node = input->node();
    const Tensor meta = input->tensor();
    Tensor own;
    if (meta.is_defined() && node.role() == InputRole::Argument) {
      OPWRIGHT_ASSERT(next < own_arguments.size());
      own = own_arguments[next++];
    } else if (node.role() == InputRole::Captured) {
      if (OpwTensor* twin = trace_.find_twin(node.bound().get())) own = Tensor::borrow(twin);
    }
    if (own.is_defined()) {
      const bool required = node.role() == InputRole::Captured
                                ? requires_grad(node.bound())
                                : (impl(meta).flags & kOpwFlagRequiresGrad) != 0;
      inputs_.push_back({own, index, required});
    }
    ++index;
  }
}

const JointInput* JointCapture::find_input(const OpwTensor* own) const {
  const auto found =
      std::ranges::find(inputs_, own, [](const JointInput& e) { return e.own.get(); });
  return found == inputs_.end() ? nullptr : &*found;
}

// Effects on inputs other than writes would be lost in compiled runs.
void JointCapture::check_inputs() const {
  for (const JointInput& input : inputs_) {
    const bool requires_now = requires_grad(input.own);
    const std::string& name = trace_.graph().inputs()[input.index]->name();
    OPWRIGHT_CHECK(!requires_now || input.required_grad || !is_leaf(input.own),
                   "compile: the function requested gradients of its input '", name,
                   "' (requires_grad_)", kOutside);
    OPWRIGHT_CHECK(requires_now || !input.required_grad,
                   "compile: the function detached its input '", name, "' in place", kOutside);
    OPWRIGHT_CHECK(!retains_gradient(input.own), "compile: the function called retain_grad on '",
                   name, "'", kOutside);
  }
}

// ---- Outputs ----

void JointCapture::classify_view(uint32_t output) {
  const Tensor& tensor = outputs_[output];
  const History* history = find_history(tensor.get());
  if (!history || !history->view) return;
  JointOutput& made = joint_.outputs[output];
  const ViewRecordPtr view = history->view;
  const JointInput* input = find_input(history->root.get());
  if (input) {
    made.kind = JointOutput::Kind::ViewOfInput;
    made.of = input->index;
  } else {
    const auto found = std::ranges::find(outputs_, history->root.get(), &Tensor::get);
    if (found == outputs_.end()) return;
    made.kind = JointOutput::Kind::ViewOfOutput;
    made.of = static_cast<uint32_t>(found - outputs_.begin());
  }
  made.is_under_no_grad = view->is_hidden();
  made.is_detached = view->is_detached();
  made.steps = steps_to(view);
  // A chain of views under no_grad has lost its first steps.
  if (has_symbolic_step(made.steps) || view->is_under_no_grad) made.steps = {};
}

// The input whose .grad the function returned; null if none.
const JointInput* JointCapture::find_leaf_of(size_t output) const {
  const OpwTensor* given = given_[output].get().as_tensor;
  const auto found = std::ranges::find_if(inputs_, [&](const JointInput& input) {
    const History* history = find_history(input.own.get());
    return history && history->kept && history->kept->gradient.get() == given;
  });
  return found == inputs_.end() ? nullptr : &*found;
}

// Finds the common base of two output views, if no output is that base itself: they share its
// memory and history.
void JointCapture::add_roots() {
  std::unordered_map<const OpwTensor*, uint32_t> counts;
  const std::vector<Tensor> returned = outputs_;
  for (const Tensor& output : returned) {
    const History* history = output.is_defined() ? find_history(output.get()) : nullptr;
    if (!history || !history->view) continue;
    const Tensor root = history->root;
    const bool is_known = find_input(root.get()) ||
                          std::ranges::find(outputs_, root.get(), &Tensor::get) != outputs_.end();
    if (is_known || ++counts[root.get()] != 2) continue;
    outputs_.push_back(root);
  }
  joint_.num_roots = outputs_.size() - joint_.num_outputs;
}

void JointCapture::classify_outputs() {
  add_roots();
  joint_.outputs.resize(joint_.num_outputs);
  for (uint32_t i = 0; i < joint_.num_outputs; ++i) {
    const Tensor& output = outputs_[i];
    if (!output.is_defined()) continue;
    JointOutput& made = joint_.outputs[i];
    const auto first = std::ranges::find(outputs_, output.get(), &Tensor::get) - outputs_.begin();
    if (const JointInput* leaf = find_leaf_of(i)) {
      made = {.kind = JointOutput::Kind::Gradient, .of = leaf->index};
    } else if (const JointInput* input = find_input(output.get())) {
      made = {.kind = JointOutput::Kind::Input, .of = input->index};
    } else if (first < static_cast<std::ptrdiff_t>(i)) {
      made = {.kind = JointOutput::Kind::Same, .of = static_cast<uint32_t>(first)};
    } else {
      classify_view(i);
    }
  }
}

// ---- Tangents ----

Tensor JointCapture::add_tangent(const Tensor& of, JointGraph::Tangent tangent) {
  Tensor meta;
  {
    const InterpreterScope scope(trace_.fake());
    const NoGradScope no_grad;
    meta = empty_like(wrapper(of).inner);
  }
  const auto index = trace_.graph().inputs().size();
  tangent.input = static_cast<uint32_t>(index);
  joint_.tangents.push_back(tangent);
  return trace_.add_input(concatenate("tangent_", joint_.tangents.size()), std::move(meta),
                          InputRole::Argument, {});
}

void JointCapture::add_tangents() {
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    const bool is_value = i >= joint_.num_outputs || joint_.outputs[i].has_own_history();
    if (!is_value || !outputs_[i].is_defined() || !requires_grad(outputs_[i])) continue;
    OPWRIGHT_CHECK(
        !is_leaf(outputs_[i]),
        "compile: the function returns a leaf that requires grad and that it made itself",
        kOutside);
    OPWRIGHT_CHECK(!retains_gradient(outputs_[i]),
                   "compile: the function called retain_grad on what it returns", kOutside);
    Edge edge = edge_of(outputs_[i]);
    root_gradients_.push_back({std::move(edge), add_tangent(outputs_[i], {0, i, false})});
  }
  for (const JointInput& input : inputs_) {
    if (rebases_of(input.own) == 0 || !requires_grad(input.own)) continue;
    Edge edge = edge_of(input.own);
    root_gradients_.push_back({std::move(edge), add_tangent(input.own, {0, input.index, true})});
  }
}

// ---- Gradients ----

// Visits everything that the outputs depend on: rejects hooks, finds the histories of the inputs.
void JointCapture::visit_tape() {
  std::vector<TapeNode*> waiting;
  std::unordered_set<const TapeNode*> seen;
  const auto add = [&](const Edge& edge) {
    if (edge && seen.insert(edge.node.get()).second) waiting.push_back(edge.node.get());
  };
  for (const RootGradient& root : root_gradients_) add(root.edge);
  while (!waiting.empty()) {
    TapeNode* node = waiting.back();
    waiting.pop_back();
    const TapeHooks* hooks = node->hooks();
    const bool has_hooks = hooks && (!hooks->of_places.empty() || !hooks->before.empty() ||
                                     !hooks->after.empty() || !hooks->retaining.empty());
    OPWRIGHT_CHECK(!has_hooks, "compile: the function put a hook on a gradient, or retain_grad (",
                   node->name(), "), which runs when the backward is compiled, and not with it",
                   kOutside);
    if (const auto* boundary = dynamic_cast<const Boundary*>(node)) {
      boundaries_.emplace(boundary->twin(), TapeNodePtr::share(node));
    }
    for (const Edge& edge : node->edges()) add(edge);
  }
}

void JointCapture::add_targets() {
  for (const JointInput& input : inputs_) {
    if (!input.required_grad) continue;
    joint_.targets.push_back(input.index);
    const auto boundary = boundaries_.find(input.own.get());
    if (boundary != boundaries_.end()) {
      target_edges_.push_back({boundary->second, 0});
    } else {
      const bool is_untouched = requires_grad(input.own) && is_leaf(input.own);
      target_edges_.push_back(is_untouched ? edge_of(input.own) : Edge());
    }
  }
}

void JointCapture::compute_gradients() {
  gradients_.resize(target_edges_.size());
  if (root_gradients_.empty()) return;
  const Node* last_of_forward = last_node(trace_.graph());
  const InterpreterScope level(session_.level());
  const NoGradScope no_grad;
  const BackwardRefusalScope refusal;
  try {
    // With one tangent there is nothing to keep apart: it is there whenever the backward runs.
    GradientFlow flow;
    const bool has_several = root_gradients_.size() > 1;
    gradients_ = run_backward_to(root_gradients_, target_edges_,
                                 {.recorder = has_several ? &flow : nullptr});
  } catch (const Error& error) {
    if (!refusal.has_refused()) throw;
    // Eager code raises it only when a backward runs.
    joint_.error_kind = error.kind();
    joint_.error = error.message();
    gradients_.assign(target_edges_.size(), Tensor());
  }
  check_backward(last_of_forward);
}

// The backward runs later, if at all, and any number of times.
void JointCapture::check_backward(const Node* last_of_forward) const {
  const Graph& graph = trace_.graph();
  const SharedMemory memory(graph, SharedMemory::Inputs::Apart);
  for (const Node* node = last_of_forward->next(); node; node = node->next()) {
    if (node->kind() != NodeKind::Call) continue;
    const std::string& name = node->op().name();
    const Tags tags = node->op().tags();
    OPWRIGHT_CHECK(!tags.has(Tag::NondeterministicSeeded),
                   "compile: a backward formula draws random "
                   "numbers (",
                   name, "), which a compiled function cannot do", kOutside);
    OPWRIGHT_CHECK(!tags.has(Tag::Ordered), "compile: a backward formula calls ", name,
                   ", which has side effects", kOutside);
    for (const uint32_t group : memory.written_groups(*node)) {
      for (const GraphValue* input : graph.inputs()) {
        OPWRIGHT_CHECK(memory.group(*input) != group, "compile: a backward formula writes to '",
                       input->name(), "' (", name, "), which is not its own", kOutside);
      }
    }
  }
}

// ---- The end ----

GraphPtr JointCapture::make_graph() {
  std::vector<OpwValue> all;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    all.push_back(outputs_[i].is_defined() ? ValueOf<Tensor>::lend(outputs_[i]) : given_[i].get());
  }
  for (const Tensor& gradient : gradients_) {
    all.push_back(gradient.is_defined() ? ValueOf<Tensor>::lend(gradient) : OpwValue{});
  }
  const InterpreterScope outside(nullptr);
  const GraphPtr graph = session_.finish(all);
  return functionalize(*graph);
}

JointGraph JointCapture::finish() {
  check_inputs();
  classify_outputs();
  add_tangents();
  visit_tape();
  add_targets();
  compute_gradients();
  joint_.graph = make_graph();
  return std::move(joint_);
}

}  // namespace

JointGraph finish_joint(TraceSession& session, std::span<const Tensor> own_arguments,
                        std::span<const OpwValue> outputs) {
  return JointCapture(session, own_arguments, outputs).finish();
}

}  // namespace opwright
