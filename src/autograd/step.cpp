#include "opwright/autograd/step.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "opwright/autograd/history.h"
#include "opwright/autograd/operator_node.h"
#include "opwright/base/small_vector.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/autograd_hooks.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/row.h"
#include "opwright/dispatch/rule.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

// Runs rules that save values at this level without recording them there; lower levels record.
class UnrecordedScope {
 public:
  UnrecordedScope() : below_(kAttentionBelowRecording, !current_interpreter()) {
    if (Interpreter* level = current_interpreter()) at_level_.emplace(*level);
  }
  UnrecordedScope(const UnrecordedScope&) = delete;
  UnrecordedScope& operator=(const UnrecordedScope&) = delete;

 private:
  AttentionScope below_;
  std::optional<UnrecordedLevelScope> at_level_;
};

void check_writes(const Operator& op, Arguments args) {
  for (uint64_t left = op.written_args(); left != 0; left &= left - 1) {
    const auto argument = static_cast<uint32_t>(std::countr_zero(left));
    visit_tensors(args[argument],
                  [&](OpwTensor* written) { check_write(op, argument, Tensor::borrow(written)); });
  }
}

// The current edges of the arguments.
OperatorNode::ArgumentEdges take_edges(const Operator& op, Arguments args) {
  const Interpreter* level = current_interpreter();
  OperatorNode::ArgumentEdges taken;
  uint32_t which = 0;
  for (uint64_t left = op.all_tensor_args(); left != 0; left &= left - 1, ++which) {
    const OpwValue& arg = args[static_cast<size_t>(std::countr_zero(left))];
    const auto take = [&](OpwTensor* tensor) {
      const BorrowedTensor lent(tensor);
      Edge edge = tensor && impl(tensor).level == level ? edge_of(lent) : Edge();
      if (edge) taken.needs |= uint64_t{1} << std::min(which, 63u);
      taken.edges.push_back(std::move(edge));
    };
    if (arg.tag == kOpwTensorList) {
      for (uint32_t i = 0; i < arg.length; ++i) take(arg.as_tensors[i]);
    } else if (arg.tag == kOpwList) {
      for (uint32_t i = 0; i < arg.length; ++i) {
        const OpwValue& element = static_cast<const OpwValue*>(arg.as_values)[i];
        if (element.tag == kOpwTensor) {
          take(element.as_tensor);
        } else {
          taken.edges.emplace_back();
        }
      }
    } else if (arg.tag == kOpwTensor) {
      take(arg.as_tensor);
    } else {
      taken.edges.emplace_back();
    }
  }
  return taken;
}

// The old values that the formula needs, one for each argument; empty: none.
std::vector<Value> keep_old(const Operator& op, OperatorNode& node, Arguments args) {
  if (!op.writes_arguments() || !op.record(Slot::KeepOld)) return {};
  SmallVector<OpwValue, 8> with_context{node.context()};
  with_context.append(args.begin(), args.end());
  SmallVector<OpwValue, 8> kept(op.num_arguments());
  run_rule(op, Slot::KeepOld, with_context, {kept.data(), kept.size()});
  std::vector<Value> owned;
  for (const OpwValue& value : kept) owned.push_back(Value::take(value));
  return owned;
}

void note_versions(const Operator& op, Arguments args, OperatorNode::Saving& saving) {
  if (!op.writes_arguments()) return;
  op.visit_tensor_arguments(args, [&](uint32_t index, OpwTensor* tensor) {
    if (op.writes_argument(index)) return;
    saving.versions.push_back({tensor, storage_of(impl(tensor)).current_version()});
  });
}

void save(const Operator& op, OperatorNode& node, Arguments args, Results results,
          std::span<const Value> old, OperatorNode::Saving& saving) {
  saving.args = args;
  saving.results = results;
  node.set_gradient_lengths(args, results);
  if (!op.record(Slot::SetupContext)) return;
  SmallVector<OpwValue, 8> all{node.context()};
  for (size_t i = 0; i < args.size(); ++i) {
    all.push_back(!old.empty() && !old[i].is_none() ? old[i].get() : args[i]);
  }
  all.append(results.begin(), results.end());
  struct Saved {
    ~Saved() { OperatorNode::end_saving(); }
  };
  node.begin_saving(saving);
  const Saved saved;
  const UnrecordedScope scope;
  run_rule(op, Slot::SetupContext, all, {});
  for (size_t i = 0; i < old.size(); ++i) {  // marking an old value marks the argument
    if (old[i].tag() != kOpwTensor) continue;
    const auto& marked = saving.non_differentiable;
    if (std::ranges::find(marked, old[i].get().as_tensor) != marked.end()) {
      saving.non_differentiable.push_back(args[i].as_tensor);
    }
  }
}

// Attaches history to a value created by the call: not a view, whatever its kernel derived it from.
void attach(const Tensor& result, TapeNodePtr node, uint32_t place, bool is_view) {
  History* history = find_history(result.get());
  if (!is_view && history && history->view) {
    history->view = nullptr;
    history->root = Tensor();
    impl(result).flags &= ~kFlagHasBase;
  }
  set_history(result, std::move(node), place);
}

class Recorder {
 public:
  // Without `known` results, it makes the call.
  Recorder(const Operator& op, Arguments args, Results results, Arguments known = {})
      : op_(op), args_(args), results_(results), known_(known) {}

  void run() {
    check_writes(op_, args_);
    auto* made = new OperatorNode(op_, args_, take_edges(op_, args_));
    node_ = TapeNodePtr::take(made);
    const std::vector<Value> old = keep_old(op_, *made, args_);
    note_versions(op_, args_, saving_);
    if (known_.empty()) [[likely]] {
      call_below_autograd(op_, args_, results_);
    } else {
      for (size_t i = 0; i < known_.size(); ++i) results_[i] = copy_value(known_[i]);
    }
    try {
      if (op_.gives_views()) note_views(op_, args_, results_);
      save(op_, *made, args_, results_, old, saving_);
      attach_all(*made);
    } catch (...) {
      for (OpwValue& result : results_) release_value(result);
      throw;
    }
  }

 private:
  template <class Visit>
  void visit_outputs(Visit visit) const {
    uint32_t place = 0;
    for (uint32_t i = 0; i < results_.size(); ++i) {
      const bool is_written = op_.gives_argument(i);
      const bool is_view = op_.gives_views() && find_viewed_argument(op_, i).has_value();
      visit_tensors(results_[i],
                    [&](OpwTensor* tensor) { visit(tensor, place++, is_written, is_view); });
    }
    for (uint64_t left = op_.unreturned_args(); left != 0; left &= left - 1) {
      visit_tensors(args_[static_cast<size_t>(std::countr_zero(left))],
                    [&](OpwTensor* tensor) { visit(tensor, place++, true, false); });
    }
  }

  // Every output has an index, also one that carries no gradient.
  void attach_all(OperatorNode& node) {
    visit_outputs([&](OpwTensor* tensor, uint32_t place, bool is_written, bool is_view) {
      const BorrowedTensor output(tensor);
      node.add_place(ValueMeta(output));
      const bool is_marked =
          std::ranges::find(saving_.non_differentiable, tensor) != saving_.non_differentiable.end();
      if (is_marked && is_written) check_marked_write(tensor);
      if (is_marked || !has_gradients(node.meta(place).dtype())) return;
      if (is_written) {
        rebase(output, share_node(node), place);
      } else if (!is_argument(tensor)) {
        attach(output, share_node(node), place, is_view);
      }
    });
  }

  // The first output gets the recorder's own count, and owns the node from then on.
  TapeNodePtr share_node(OperatorNode& node) {
    return node_ ? std::move(node_) : TapeNodePtr::share(&node);
  }

  // Otherwise the new value would continue the history of the old one.
  void check_marked_write(OpwTensor* written) const {
    OPWRIGHT_CHECK(!requires_grad(BorrowedTensor(written)), op_.name(),
                   ": setup_context marks an argument that the operator writes as "
                   "non-differentiable, but it requires grad, so that its new value would get the "
                   "gradient of the old one\n  Pass a detached clone, or remove the "
                   "mark_non_differentiable call.");
  }

  // A kernel may return an argument itself as its result: that keeps its own history.
  [[nodiscard]] bool is_argument(const OpwTensor* tensor) const {
    bool found = false;
    op_.visit_tensor_arguments(
        args_, [&](uint32_t /*index*/, const OpwTensor* each) { found |= each == tensor; });
    return found;
  }

  const Operator& op_;
  Arguments args_;
  Results results_;
  Arguments known_;
  TapeNodePtr node_;
  OperatorNode::Saving saving_;
};

const AutogradHooks kHooks{
    .record = &record_call, .is_tracked = &is_tracked, .note_views = &note_results_as_views};

[[maybe_unused]] const bool kHooksAreSet = [] {
  set_autograd_hooks(&kHooks);
  return true;
}();

}  // namespace

void record_call(const Operator& op, Arguments args, Results results) {
  if (!op.record(Slot::Autograd)) [[unlikely]] {
    // The operators of its body have formulas. A functional sibling is trained through the operator
    // that it belongs to.
    if (const OpwRecord* body = op.record(Slot::Decompose)) {
      return run_record(op, *body, args, results);
    }
  }
  Recorder(op, args, results).run();
}

bool record_known_results(const Operator& op, Arguments args, Arguments known, Results results) {
  if (op.writes_arguments() || op.gives_views() || op.num_results() == 0) return false;
  bool is_differentiated = false;
  op.visit_tensor_arguments(args, [&](uint32_t /*index*/, OpwTensor* tensor) {
    const BorrowedTensor lent(tensor);
    is_differentiated |= tensor && impl(tensor).level == current_interpreter() && edge_of(lent);
  });
  if (!thread_state().grad_is_enabled() || !is_differentiated ||
      op.tags().has(Tag::Nondifferentiable)) {
    for (size_t i = 0; i < known.size(); ++i) results[i] = copy_value(known[i]);
    return true;
  }
  if (!op.record(Slot::Autograd) || op.record(Slot::AutogradKernel)) return false;
  Recorder(op, args, results, known).run();
  return true;
}

}  // namespace opwright
