#include "opwright/autograd/engine.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <unordered_set>
#include <utility>

#include "opwright/autograd/gradient_fit.h"
#include "opwright/base/small_vector.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/autograd_hooks.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

Tensor sum_of(Tensor sum, const Tensor& gradient, GradientRecorder* recorder) {
  if (recorder) [[unlikely]]
    return recorder->sum(sum, gradient);
  if (!thread_state().grad_is_enabled() && is_sole_owner(sum)) {
    sum.add_(gradient);
    return sum;
  }
  return sum + gradient;
}

// The gradients received so far, for each pending node. Nodes are not reference-counted: the roots
// own everything that their edges lead to.
class Waiting {
 public:
  struct Entry {
    TapeNode* node = nullptr;
    SmallVector<Tensor, 1> gradients;
  };

  explicit Waiting(GradientRecorder* recorder) : recorder_(recorder) {}

  [[nodiscard]] bool empty() const noexcept { return !youngest_.is_there() && heap_.empty(); }

  void add(const Edge& edge, Tensor gradient) {
    Tensor& slot = entry_of(*edge.node).gradients[edge.place];
    slot = slot.is_defined() ? sum_of(std::move(slot), gradient, recorder_) : std::move(gradient);
  }

  Entry take_youngest() {
    Key key = std::exchange(youngest_, {});
    if (!key.is_there()) {
      std::ranges::pop_heap(heap_, {}, &Key::age);
      key = heap_.back();
      heap_.pop_back();
    }
    free_.push_back(key.index);
    return std::exchange(entries_[key.index], {});
  }

 private:
  struct Key {
    uint64_t age = 0;
    uint32_t index = 0;
    [[nodiscard]] bool is_there() const noexcept { return age != 0; }  // ages begin at 1
  };

  // Two engines may meet at a node on two threads: then its hint is wrong, and a search finds it.
  Entry& entry_of(TapeNode& node) {
    const uint32_t hint = node.engine_place.load(std::memory_order_relaxed);
    if (hint < entries_.size() && entries_[hint].node == &node) return entries_[hint];
    if (youngest_.is_there() && entries_[youngest_.index].node == &node) {
      return entries_[youngest_.index];
    }
    for (const Key& key : heap_) {
      if (entries_[key.index].node == &node) return entries_[key.index];
    }
    return add_entry(node);
  }

  Entry& add_entry(TapeNode& node) {
    uint32_t index = 0;
    if (free_.empty()) {
      index = static_cast<uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    entries_[index].node = &node;
    entries_[index].gradients.resize(node.num_places());
    node.engine_place.store(index, std::memory_order_relaxed);
    add_key({node.age(), index});
    return entries_[index];
  }

  void add_key(Key key) {
    if (!youngest_.is_there()) {
      if (heap_.empty() || key.age > heap_.front().age) {
        youngest_ = key;
        return;
      }
    } else if (key.age > youngest_.age) {
      std::swap(key, youngest_);
    }
    heap_.push_back(key);
    std::ranges::push_heap(heap_, {}, &Key::age);
  }

  GradientRecorder* recorder_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> free_;
  Key youngest_;           // of all, if present: a chain never touches the heap
  std::vector<Key> heap_;  // the others
};

void run_place_hooks(std::vector<TapeHooks::OfPlace> hooks, std::span<Tensor> gradients) {
  for (const TapeHooks::OfPlace& entry : hooks) {
    Tensor& gradient = gradients[entry.place];
    if (!gradient.is_defined()) continue;
    Tensor other = entry.hook(gradient);
    if (other.is_defined()) gradient = std::move(other);
  }
}

// The hooks of tensors, whose gradients these are.
void run_tensor_hooks(const TapeNode& node, std::span<Tensor> gradients) {
  const TapeHooks* hooks = node.hooks();
  if (!hooks) [[likely]]
    return;
  run_place_hooks(hooks->of_places, gradients);
  run_place_hooks(hooks->retaining, gradients);
}

void run_hooks_before(const TapeNode& node, std::span<Tensor> gradients) {
  const TapeHooks* hooks = node.hooks();
  if (!hooks) [[likely]]
    return;
  const auto before = hooks->before;  // a hook may remove itself
  for (const auto& entry : before) entry.hook(gradients);
}

void run_hooks_after(const TapeNode& node, std::span<Tensor> given,
                     std::span<const Tensor> gradients) {
  const TapeHooks* hooks = node.hooks();
  if (!hooks || hooks->after.empty()) [[likely]]
    return;
  const auto after = hooks->after;
  for (const auto& entry : after) entry.hook(given, gradients);
}

// The tensor below all transforms: the batch of a sample has the values of all samples.
Tensor innermost(const Tensor& tensor) {
  Tensor found = tensor;
  while (found.is_defined() && impl(found).is_wrapper()) found = wrapper(found).inner;
  return found;
}

void look_for_anomalies(const TapeNode& node, std::span<const Tensor> given) {
  const InterpreterScope eager(nullptr);
  const AttentionScope grad_off(kAttentionGradOff, true);
  for (size_t i = 0; i < given.size(); ++i) {
    const Tensor gradient = innermost(given[i]);
    if (!gradient.is_defined() || gradient.is_fake()) continue;
    const bool has_nan = opwright::isnan(gradient).any().item().to<bool>();
    OPWRIGHT_CHECK(!has_nan, "Function '", node.backward_name(), "' returned nan values in its ", i,
                   "th output: the backward of ", node.name(), node.line_text());
  }
}

// The nodes that lead to a target.
class Needed {
 public:
  Needed(std::span<const RootGradient> roots, std::span<const Edge> targets) {
    for (const Edge& target : targets) {
      if (target) oldest_ = std::min(oldest_, target.node->age());
      if (target) needed_.insert(target.node.get());
    }
    for (const RootGradient& root : roots) visit(root.edge.node.get());
  }
  [[nodiscard]] bool contains(const TapeNode* node) const { return needed_.contains(node); }

 private:
  struct Frame {
    const TapeNode* node;
    size_t next;
  };

  void visit(const TapeNode* root) {
    if (!enter(root)) return;
    std::vector<Frame> path{{root, 0}};
    while (!path.empty()) {
      Frame& frame = path.back();
      const auto edges = frame.node->edges();
      if (frame.next < edges.size()) {
        const TapeNode* next = edges[frame.next++].node.get();
        if (next && enter(next)) path.push_back({next, 0});
        continue;
      }
      const bool leads = std::ranges::any_of(
          edges, [&](const Edge& edge) { return edge && contains(edge.node.get()); });
      if (leads) needed_.insert(frame.node);
      path.pop_back();
    }
  }
  // A node that is older than every target leads to none.
  bool enter(const TapeNode* node) { return node->age() > oldest_ && visited_.insert(node).second; }

  uint64_t oldest_ = UINT64_MAX;
  std::unordered_set<const TapeNode*> visited_;
  std::unordered_set<const TapeNode*> needed_;
};

class Engine;
constinit thread_local Engine* running __attribute__((tls_model("initial-exec"))) = nullptr;
std::atomic<uint64_t> next_backward{1};

// All nodes that the roots lead to.
std::unordered_set<const TapeNode*> find_reachable(std::span<const RootGradient> roots) {
  std::unordered_set<const TapeNode*> found;
  std::vector<const TapeNode*> waiting;
  const auto enter = [&](const TapeNode* node) {
    if (node && found.insert(node).second) waiting.push_back(node);
  };
  for (const RootGradient& root : roots) enter(root.edge.node.get());
  while (!waiting.empty()) {
    const TapeNode* node = waiting.back();
    waiting.pop_back();
    for (const Edge& edge : node->edges()) enter(edge.node.get());
  }
  return found;
}

class Engine {
 public:
  Engine(std::span<const RootGradient> roots, std::span<const Edge> targets, bool has_targets,
         EngineOptions options)
      : roots_(roots),
        targets_(targets),
        has_targets_(has_targets),
        options_(options),
        waiting_(options.recorder),
        found_(targets.size()) {
    if (has_targets) needed_.emplace(roots, targets);
    for (const RootGradient& root : roots) {
      if (is_needed(root.edge.node.get())) waiting_.add(root.edge, root.gradient);
    }
  }

  std::vector<Tensor> run() {
    struct Running {
      explicit Running(Engine* engine) : outer(std::exchange(running, engine)) {}
      ~Running() { running = outer; }
      Running(const Running&) = delete;
      Running& operator=(const Running&) = delete;
      Engine* outer;
    };
    const Running scope(this);
    while (!waiting_.empty()) step(waiting_.take_youngest());
    return std::move(found_);
  }

  [[nodiscard]] uint64_t id() const noexcept { return id_; }
  [[nodiscard]] bool has_targets() const noexcept { return has_targets_; }
  [[nodiscard]] bool will_run(const TapeNode& node) {
    if (needed_) return needed_->contains(&node);
    if (!reachable_) reachable_ = find_reachable(roots_);
    return reachable_->contains(&node);
  }

 private:
  [[nodiscard]] bool is_needed(const TapeNode* node) const {
    return !needed_ || needed_->contains(node);
  }

  void step(Waiting::Entry entry) {
    TapeNode& node = *entry.node;
    run_tensor_hooks(node, entry.gradients);
    if (has_targets_ && !passes_targets(node, entry.gradients)) return;
    run_hooks_before(node, entry.gradients);
    given_.resize(node.edges().size());
    const bool is_observed = options_.recorder || (node.hooks() && !node.hooks()->after.empty());
    std::vector<Tensor> gradients;
    if (is_observed) gradients.assign(entry.gradients.begin(), entry.gradients.end());
    node.apply(entry.gradients, given_);
    entry.gradients.clear();
    run_hooks_after(node, given_, gradients);
    if (options_.recorder) [[unlikely]]
      options_.recorder->mark(given_, gradients);
    if (anomaly_mode() && anomaly_mode_checks_nan()) look_for_anomalies(node, given_);
    if (!options_.keeps_graph) node.release_saved();
    pass_on(node);
  }

  // Takes the gradients of targets; returns whether the node runs.
  [[nodiscard]] bool passes_targets(const TapeNode& node, std::span<const Tensor> gradients) {
    bool is_target = false;
    for (size_t i = 0; i < targets_.size(); ++i) {
      if (targets_[i].node.get() != &node) continue;
      is_target = true;
      // What a leaf accumulates itself must not be shared.
      if (!options_.fills_targets || !node.accumulates()) found_[i] = gradients[targets_[i].place];
    }
    if (is_target && options_.fills_targets) return true;
    return !node.accumulates() && std::ranges::any_of(node.edges(), [&](const Edge& edge) {
      return edge && is_needed(edge.node.get());
    });
  }

  void pass_on(const TapeNode& node) {
    for (size_t i = 0; i < given_.size(); ++i) {
      const Edge& edge = node.edges()[i];
      if (!edge || !given_[i].is_defined() || !is_needed(edge.node.get())) continue;
      waiting_.add(edge, std::move(given_[i]));
    }
    given_.clear();
  }

  uint64_t id_ = next_backward.fetch_add(1, std::memory_order_relaxed);
  std::span<const RootGradient> roots_;
  std::span<const Edge> targets_;
  bool has_targets_;
  EngineOptions options_;
  std::optional<Needed> needed_;
  std::optional<std::unordered_set<const TapeNode*>> reachable_;  // once it was asked for
  Waiting waiting_;
  std::vector<Tensor> found_;
  SmallVector<Tensor, 4> given_;  // results of the running node; empty between nodes
};

}  // namespace

void run_backward(std::span<const RootGradient> roots, EngineOptions options) {
  Engine(roots, {}, false, options).run();
}

std::vector<Tensor> run_backward_to(std::span<const RootGradient> roots,
                                    std::span<const Edge> targets, EngineOptions options) {
  return Engine(roots, targets, true, options).run();
}

uint64_t backward_in_progress() noexcept { return running ? running->id() : 0; }
bool backward_has_targets() noexcept { return running && running->has_targets(); }
bool will_run(const TapeNode& node) { return running && running->will_run(node); }
bool anomaly_mode_checks_nan() noexcept { return this_autograd_settings.anomaly_mode_checks_nan; }
bool set_anomaly_mode_checks_nan(bool on) noexcept {
  return std::exchange(this_autograd_settings.anomaly_mode_checks_nan, on);
}

}  // namespace opwright
