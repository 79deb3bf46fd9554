// Ends a trace early: runs the recorded graph on the real inputs, and turns the trace's values into
// the resulting real tensors.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "opwright/autograd/accumulate.h"
#include "opwright/autograd/boundary.h"
#include "opwright/autograd/history.h"
#include "opwright/autograd/operator_node.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/value_finder.h"
#include "opwright/tensor.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/trace/trace.h"
#include "opwright/value.h"

namespace opwright {
namespace {

// The state of an eager run on this thread, below everything active and without recording: the
// recorded calls have already gone through the modes.
ThreadState state_of_run(Interpreter* outside) {
  ThreadState state = thread_state();
  state.set_current(outside);
  state.set_modes(nullptr);
  state.set_grad_enabled(false);
  state.attention &= ~static_cast<uint32_t>(kAttentionMakesFakes | kAttentionBelowRecording);
  return state;
}

// The values that determine the data-dependent symbols.
class UnknownSizes {
 public:
  explicit UnknownSizes(const Graph& graph) : env_(graph.shape_env().get()) {
    if (!env_) return;
    for (Node* node = graph.first(); node; node = node->next()) {
      for (GraphValue& value : node->values()) look_at(value);
    }
  }

  [[nodiscard]] std::span<GraphValue* const> values() const noexcept { return values_; }

  void set(std::span<const Value> actual) {
    for (size_t i = 0; i < values_.size(); ++i) {
      const OpwValue& value = actual[i].get();
      if (value.tag == kOpwInt) {
        set_symbol(SymInt::borrow(values_[i]->meta().get().as_int), value.as_int);
      } else if (value.tag == kOpwTensor) {
        const SymGeometry shown = sym_geometry_of(values_[i]->tensor());
        const auto sizes = Tensor::borrow(value.as_tensor).sizes();
        for (size_t d = 0; d < sizes.size(); ++d) set_symbol(shown.sizes[d], sizes[d]);
      }
    }
  }

 private:
  [[nodiscard]] bool is_unknown(const SymInt& size) const {
    return size.is_symbolic() && env_->simplify(size).is_symbolic() && !env_->hint(size);
  }

  void look_at(GraphValue& value) {
    bool is_needed = false;
    const auto need = [&](const SymInt& size) {
      if (!is_unknown(size)) return;
      for (const std::string& name : env_->free_symbols(size)) {
        is_needed |= found_.insert(name).second;
      }
    };
    if (const Tensor tensor = value.tensor(); tensor.is_defined()) {
      if (tensor.is_symbolic()) {
        for (const SymInt& size : sym_geometry_of(tensor).sizes) need(size);
      }
    } else if (value.meta().tag() == kOpwSymInt) {
      need(SymInt::borrow(value.meta().get().as_int));
    }
    if (is_needed) values_.push_back(&value);
  }

  void set_symbol(const SymInt& size, int64_t actual) {
    if (!is_unknown(size)) return;
    const std::vector<std::string> names = env_->free_symbols(size);
    if (names.size() == 1 && env_->symbol(names[0]).word() == size.word()) {
      env_->learn_equal(names[0], SymInt(actual));
    }
  }

  ShapeEnv* env_;
  std::vector<GraphValue*> values_;
  std::unordered_set<std::string> found_;
};

// Replaces every symbol with its value from here on.
void settle(ShapeEnv* env) {
  if (!env) return;
  for (const Symbol& symbol : env->symbols()) {
    if (symbol.hint && env->simplify(env->symbol(symbol.name)).is_symbolic()) {
      env->learn_equal(symbol.name, SymInt(*symbol.hint));
    }
  }
}

void settle_view(ViewRecord* view) {
  for (; view; view = view->parent.get()) {
    for (OpwValue& kept : view->rest) {
      if (kept.tag != kOpwSymInt && kept.tag != kOpwSymIntList) continue;
      Value value = kept.tag == kOpwSymInt
                        ? Value(settled(SymInt::borrow(kept.as_int)))
                        : Value(settled(ValueOf<std::span<const SymInt>>::read(kept)));
      release_value(kept);
      kept = value.give();
    }
  }
}

// The edge to which an opened boundary, or the leaf of a lifted tensor, would pass a gradient.
Edge past_boundary(const Edge& edge) {
  if (!edge || edge.node->edges().size() != 1) return edge;
  const TapeNode* node = edge.node.get();
  const bool passes_on =
      dynamic_cast<const Boundary*>(node) || dynamic_cast<const Accumulate*>(node);
  return passes_on ? node->edges()[0] : edge;
}

// Replaces symbols in recorded nodes with plain ints, and connects their gradients directly to the
// nodes outside, so that gradients accumulate in the order of an eager run.
void settle_histories(std::span<const Tensor> live) {
  std::unordered_set<TapeNode*> seen;
  std::vector<TapeNode*> waiting;
  const auto enter = [&](TapeNode* node) {
    if (node && seen.insert(node).second) waiting.push_back(node);
  };
  for (const Tensor& value : live) {
    const History* history = find_history(value.get());
    if (!history) continue;
    settle_view(history->view.get());
    const Edge edge{history->node, history->place};
    if (past_boundary(edge) == edge) enter(edge.node.get());
  }
  while (!waiting.empty()) {
    TapeNode* node = waiting.back();
    waiting.pop_back();
    if (auto* call = dynamic_cast<OperatorNode*>(node)) call->settle_numbers();
    for (const Edge& edge : node->edges()) {
      Edge onward = past_boundary(edge);
      if (onward == edge) {
        enter(edge.node.get());
      } else {
        const_cast<Edge&>(edge) = std::move(onward);  // no other thread knows the node
      }
    }
  }
}

// A body that only reads sizes is also a fake kernel, but not the operator's own.
bool has_own_fake_kernel(const Operator& op) {
  return std::ranges::any_of(Registry::get().implementations(op),
                             [](const auto& each) { return each.first == Slot::Fake; });
}

}  // namespace

// ---- Requesting the end ----

void Trace::end_for(const TraceBreaker::Cause& cause) {
  if (breaker_ && breaker_->end_trace(cause)) throw LevelEnded{};
}

void Trace::end_for(const Operator& op, const Error& error) {
  if (!breaker_) return;
  if (current_interpreter() != this) throw LevelEnded{};  // it has already ended
  if (!is_of_core(op) && !has_own_fake_kernel(op)) {
    end_for({.text = concatenate("the operator ", op.name(), " has no fake kernel")});
  } else {
    const std::string_view text = error.what();
    const std::string first_line(text.substr(0, text.find('\n')));
    end_for({.text = concatenate(op.name(), " failed on shapes alone: ", first_line),
             .is_error = true});
  }
}

// ---- Becoming real ----

void Trace::become_real(std::span<const OpwValue> arguments) {
  OPWRIGHT_ASSERT(options_.may_end_early && fake_ && !options_.is_functional);
  const std::vector<Tensor> live = live_wrappers();
  UnknownSizes unknown(*graph_);
  std::vector<NodeArgument> wanted;
  for (const Tensor& value : live) wanted.push_back(NodeArgument::of(value_of(value.get())));
  for (GraphValue* value : unknown.values()) wanted.push_back(NodeArgument::of(*value));
  graph_->set_outputs(std::move(wanted));
  std::vector<Value> real;
  {
    const ThreadStateScope scope(state_of_run(outside_));
    real = evaluate(*graph_, arguments);
  }
  unknown.set(std::span(real).subspan(live.size()));
  settle(graph_->shape_env().get());
  for (size_t i = 0; i < live.size(); ++i) {
    const TensorImpl& shown = impl(real[i].get().as_tensor);
    // Saved values are compared with the trace's version counter.
    const uint64_t version = version_of(live[i]);
    replace_contents(impl(live[i]), shown);
    shown.storage->version.store(version, std::memory_order_release);
  }
  give_histories_back(live);
  settle_histories(live);
  // Lifted values are kept until the end: a call in progress may use them.
  breaker_ = nullptr;
  if (thread_state().current == this) thread_state().set_current(outside_);
  end_early(outside_);
}

// A lifted tensor and its outside counterpart are now two objects over one memory: history and
// .grad move to the outside tensor, and views of the former become views of the latter.
void Trace::give_histories_back(std::span<const Tensor> live) {
  std::unordered_map<const OpwTensor*, Tensor> foreign_of;
  std::unordered_map<const OpwTensor*, uint32_t> rebases;  // before
  for (const auto& [address, twin] : twins_) {
    if (!foreign_of.try_emplace(twin.own.get(), twin.foreign).second) continue;
    rebases.emplace(twin.own.get(), rebases_of(twin.foreign));
  }
  const auto outside = [&](const Tensor& tensor) {
    const auto found = foreign_of.find(tensor.get());
    return found == foreign_of.end() ? tensor : found->second;
  };
  for (const auto& [address, twin] : twins_) {
    if (outside(twin.own).get() == twin.foreign.get()) give_history_back(twin.foreign, twin.own);
  }
  for (const auto& boundary : boundaries_) boundary->open();
  for (const auto& [own, foreign] : foreign_of) {
    History* history = find_history(own);
    const Tensor gradient = history && history->kept ? outside(history->kept->gradient) : Tensor();
    if (gradient.get() != gradient_of(foreign).get()) history_of(foreign).gradient() = gradient;
    if (history) history->kept = find_history(foreign.get()) ? history_of(foreign).kept : nullptr;
  }
  for (const Tensor& value : live) {
    History* history = find_history(value.get());
    if (!history || !history->root.is_defined()) continue;
    const auto found = foreign_of.find(history->root.get());
    if (found == foreign_of.end()) continue;
    history->seen += rebases[found->first];
    history->root = found->second;
  }
}

}  // namespace opwright
