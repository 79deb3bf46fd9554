#include "opwright/autograd/function_node.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "opwright/autograd/backward_refusal.h"
#include "opwright/autograd/gradient_fit.h"
#include "opwright/autograd/history.h"
#include "opwright/autograd/short_lock.h"
#include "opwright/base/small_vector.h"
#include "opwright/base/user_line.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

bool holds_tensor(std::span<const Tensor> tensors, const Tensor& wanted) {
  return std::ranges::any_of(tensors,
                             [&](const Tensor& each) { return each.get() == wanted.get(); });
}

std::vector<Tensor> handles_of(std::span<OpwTensor* const> tensors) {
  std::vector<Tensor> handles;
  for (OpwTensor* tensor : tensors) handles.push_back(tensor ? Tensor::borrow(tensor) : Tensor());
  return handles;
}

// A view of the entire tensor.
Tensor view_as_itself(const Tensor& tensor) {
  const InterpreterScope level(static_cast<Interpreter*>(impl(tensor).level));
  const AttentionScope grad_off(kAttentionGradOff, true);
  return opwright::alias(tensor);
}

bool records_functions() {
  const Interpreter* level = current_interpreter();
  return thread_state().grad_is_enabled() && (!level || level->records());
}

}  // namespace

FunctionNode::ForwardScope::ForwardScope(Interpreter* level)
    : grad_off_(kAttentionGradOff, !level || !thread_state().grad_is_enabled()) {
  if (level) level_.emplace(*level);
}

FunctionNode::FunctionNode(std::string name, std::vector<Tensor> inputs)
    : FormulaNode(find_edges(inputs)), name_(std::move(name)), call_(std::make_unique<Call>()) {
  for (const Tensor& input : inputs) {
    input_is_tensor_.push_back(input.is_defined());
    call_->versions.push_back(input.is_defined() ? version_of(input) : 0);
  }
  is_recorded_ =
      std::ranges::any_of(edges(), [](const Edge& edge) { return static_cast<bool>(edge); });
  call_->inputs = std::move(inputs);
  if (anomaly_mode()) line_ = current_user_line();
}

// Before the node itself: an edge may create the node that it leads to, which must be older.
TapeEdges FunctionNode::find_edges(std::span<const Tensor> inputs) {
  const bool is_recorded_here = records_functions();
  TapeEdges edges;
  for (const Tensor& input : inputs) {
    const bool is_of_level = input.is_defined() && impl(input).level == current_interpreter();
    edges.push_back(is_of_level && is_recorded_here ? edge_of(input) : Edge());
  }
  return edges;
}

std::string FunctionNode::line_text() const {
  return line_.is_known() ? concatenate(", called at ", line_.text()) : std::string();
}

// ---- Saving ----

void FunctionNode::save(std::span<OpwTensor* const> tensors) {
  OPWRIGHT_CHECK(call_, name_,
                 ": save_for_backward belongs in forward or setup_context, not in backward");
  call_->saved = handles_of(tensors);
}

void FunctionNode::mark_non_differentiable(std::span<OpwTensor* const> results) {
  OPWRIGHT_CHECK(call_, name_,
                 ": mark_non_differentiable belongs in forward or setup_context, not in backward");
  call_->non_differentiable = handles_of(results);
}

void FunctionNode::mark_dirty(std::span<OpwTensor* const> inputs) {
  OPWRIGHT_CHECK(call_, name_, ": mark_dirty belongs in forward, not in backward");
  call_->dirty = handles_of(inputs);
}

void FunctionNode::note_saved_for_forward(std::span<OpwTensor* const> tensors) {
  if (call_) call_->saved_for_forward = handles_of(tensors);
}

void FunctionNode::check_saved(std::span<const Tensor> outputs) const {
  for (const Tensor& output : outputs) {
    if (!output.is_defined() || !holds_tensor(call_->inputs, output)) continue;
    const bool is_saved =
        holds_tensor(call_->saved, output) || holds_tensor(call_->saved_for_forward, output);
    OPWRIGHT_CHECK(!is_saved || holds_tensor(call_->dirty, output), name_,
                   ": An input that has been returned as-is as output is being saved for backward "
                   "or forward mode, which setup_context does not support: it has the history of "
                   "the input or of the output\n  Return and save a view of it instead, "
                   "x.view_as(x).");
  }
}

void FunctionNode::check_not_released() const {
  if (!is_released_) return;
  throw_backward_refusal(
      "RuntimeError",
      concatenate("the values that ", name_,
                  " saved for its backward were freed by an earlier backward. Specify "
                  "retain_graph=True in the first one to run it again"));
}

size_t FunctionNode::num_saved() const {
  if (call_) return call_->saved.size();
  const ShortLock lock(kept_is_taken_);
  check_not_released();
  return kept_.size();
}

FunctionNode::Kept FunctionNode::find_saved(size_t index) const {
  const ShortLock lock(kept_is_taken_);
  check_not_released();
  return kept_[index];
}

Tensor FunctionNode::saved(size_t index) {
  if (call_) return call_->saved[index];
  auto [kept, packed] = find_saved(index);
  if (packed) return std::move(kept).unpack(*this, packed.get());
  if (!kept.tensor.is_defined()) return {};
  const uint64_t version = version_of(kept.tensor);
  if (version != kept.version) {
    throw_backward_refusal("RuntimeError",
                           concatenate(name_, ": saved tensor ", index,
                                       " was modified by an in-place operation: it is at version ",
                                       version, ", expected ", kept.version,
                                       "\n  Clone it before it is written, or write to a copy."));
  }
  return std::move(kept).unpack(*this, nullptr);
}

void FunctionNode::release_saved() noexcept {
  std::vector<Kept> gone;  // destroyed after the lock
  const ShortLock lock(kept_is_taken_);
  if (kept_.empty()) return;
  gone.swap(kept_);
  is_released_ = true;
}

void FunctionNode::visit_owned(OwnedTensorVisitor& visitor) const {
  for (const Kept& kept : kept_) visitor.visit(kept.saved.tensor);
}

SavedTensor FunctionNode::make_saved(const Tensor& tensor, std::span<const Tensor> outputs) const {
  SavedTensor saved;
  if (!tensor.is_defined()) return saved;
  OPWRIGHT_CHECK((impl(tensor).flags & kOpwFlagInference) == 0, name_,
                 ": a tensor made in inference mode cannot be saved for backward; clone it outside "
                 "of inference mode first");
  saved.tensor = tensor;
  saved.version = version_of(tensor);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].get() == tensor.get()) saved.result_place = static_cast<uint32_t>(i);
  }
  for (size_t i = 0; i < call_->inputs.size(); ++i) {
    const bool is_read =
        call_->inputs[i].get() == tensor.get() && !holds_tensor(call_->dirty, tensor);
    if (!is_read) continue;
    saved.version = call_->versions[i];
    saved.result_place = SavedTensor::kNotAResult;
  }
  if (saved.result_place != SavedTensor::kNotAResult) saved.tensor = alias_of(tensor);
  return saved;
}

// ---- After the forward ----

// A tensor that existed before keeps its own history: the caller gets another object over it.
Tensor FunctionNode::attach(Tensor output, uint32_t place) {
  if (holds_tensor(call_->dirty, output)) {
    rebase(output, TapeNodePtr::share(this), place);
    return output;
  }
  if (holds_tensor(call_->inputs, output)) {
    output = view_as_itself(output);
  } else if (requires_grad(output)) {
    output = alias_of(output);
  }
  History& history = history_of(output);
  if (history.view) {
    history.view->is_of_function = true;
    history.view->is_under_no_grad = false;
    history.seen = rebases_of(history.root);
  }
  set_history(output, TapeNodePtr::share(this), place);
  return output;
}

// `returned` are the tensors among the outputs. One that was returned twice stays one object.
void FunctionNode::attach_all(std::span<Tensor> outputs, std::span<const Tensor> returned) {
  SmallVector<Tensor, 2> attached;
  for (Tensor& output : outputs) {
    if (!output.is_defined()) continue;
    const auto place = static_cast<uint32_t>(attached.size());
    const auto before = returned.first(place);
    const auto same = std::ranges::find(before, output.get(), &Tensor::get);
    const bool has_gradient =
        has_gradients(output.dtype()) && !holds_tensor(call_->non_differentiable, output);
    if (same != before.end()) {
      output = attached[static_cast<size_t>(same - before.begin())];
    } else if (has_gradient) {
      output = attach(std::move(output), place);
    }
    attached.push_back(output);
  }
}

void FunctionNode::finish(std::span<Tensor> outputs) {
  SmallVector<Tensor, 2> places;
  for (const Tensor& output : outputs) {
    output_is_tensor_.push_back(output.is_defined());
    if (output.is_defined()) places.push_back(output);
  }
  for (const Tensor& input : call_->dirty) {
    OPWRIGHT_CHECK(holds_tensor(call_->inputs, input), name_,
                   ": mark_dirty takes inputs of forward");
    OPWRIGHT_CHECK(!is_recorded_ || holds_tensor({places.data(), places.size()}, input), name_,
                   ": an input that forward wrote to must be returned by it");
    if (is_recorded_) check_function_write(name_, input);
  }
  if (is_recorded_) {
    for (const Tensor& place : places) add_place(ValueMeta(place));
    for (const Tensor& tensor : call_->saved) {
      SavedTensor saved = make_saved(tensor, {places.data(), places.size()});
      PackedTensorPtr packed = saved.pack();
      kept_.push_back({std::move(saved), std::move(packed)});
    }
    attach_all(outputs, {places.data(), places.size()});
  }
  call_ = nullptr;
}

// ---- Its gradients ----

void FunctionNode::fill_missing(std::span<Tensor> gradients) const {
  if (!materializes_) return;
  for (uint32_t place = 0; place < gradients.size(); ++place) {
    if (!gradients[place].is_defined() && has_gradients(meta(place).dtype())) {
      gradients[place] = meta(place).zeros();
    }
  }
}

void FunctionNode::add_backward_note(Error& error) const {
  error.add_note("operator", concatenate("in the backward of ", name_, line_text()));
}

Tensor FunctionNode::fit_gradient(size_t index, const Tensor& gradient) const {
  OPWRIGHT_CHECK(input_is_tensor_[index], name_, ": backward returned a gradient for argument ",
                 index, ", which is not a tensor; return None there");
  const Edge& to = edges()[index];
  if (!to) return gradient;  // hooks see it; it goes nowhere
  const ValueMeta& wanted = to.node->meta(to.place);
  const Tensor fitting =
      has_sizes(gradient, wanted.sizes()) ? gradient : undo_broadcast(gradient, wanted.sizes());
  OPWRIGHT_CHECK(fitting.is_defined(), name_, ": backward returned a gradient of sizes ",
                 to_text(ValueMeta(gradient).sizes()), " for argument ", index,
                 ", which has sizes ", to_text(wanted.sizes()));
  return fit_dtype(fitting, wanted);
}

void note_as_view(const Tensor& output, const Tensor& input) {
  const Tensor alias = view_as_itself(input);
  const History& view = history_of(alias);
  if (!view.view) return;
  History& history = history_of(output);
  history.view = view.view;
  history.view->is_of_function = true;
  history.view->is_under_no_grad = false;
  history.root = view.root;
  history.seen = rebases_of(view.root);
  impl(output).flags |= kFlagHasBase;
}

}  // namespace opwright
