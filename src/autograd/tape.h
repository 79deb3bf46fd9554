// The tape: how values were computed, as nodes that know how gradients flow back.
//
// A node represents one recorded call. It receives the gradients of the call's outputs (its
// *places*) and returns one gradient along each of its edges. Nodes belong to the level of their
// values: edges never leave it. A node is newer than all nodes that its edges lead to, so the
// engine runs the newest node first and needs no dependency counts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/autograd/value_meta.h"
#include "opwright/base/intrusive_ptr.h"
#include "opwright/base/small_vector.h"
#include "opwright/c_api.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

class FormulaNode;
class TapeNode;
using TapeNodePtr = IntrusivePtr<TapeNode>;

// Where a gradient goes: output `place` of a node; no node: nowhere.
struct Edge {
  TapeNodePtr node = nullptr;
  uint32_t place = 0;

  explicit operator bool() const noexcept { return node.get() != nullptr; }
  friend bool operator==(const Edge&, const Edge&) = default;
};

// One for each gradient that a node returns.
using TapeEdges = SmallVector<Edge, 2>;

// Receives the gradient of a value; returns a replacement, or an undefined tensor to keep it.
using GradientHook = std::function<Tensor(const Tensor& gradient)>;
// Runs before a node, with the gradients of its outputs, which it may replace.
using NodePreHook = std::function<void(std::span<Tensor> gradients)>;
// Runs after a node, with the gradients it returned (which may be replaced) and received.
using NodeHook = std::function<void(std::span<Tensor> given, std::span<const Tensor> gradients)>;

struct TapeHooks {
  struct OfPlace {
    uint64_t id;
    uint32_t place;
    GradientHook hook;
  };
  template <class Hook>
  struct OfNode {
    uint64_t id;
    Hook hook;
  };
  std::vector<OfPlace> of_places;
  std::vector<OfPlace> retaining;  // run last: store the gradients of retain_grad
  std::vector<OfNode<NodePreHook>> before;
  std::vector<OfNode<NodeHook>> after;
};

// Visits the tensors that a node owns in addition to its edges.
class OPWRIGHT_EXPORT OwnedTensorVisitor {
 public:
  virtual void visit(const Tensor& tensor) = 0;

 protected:
  ~OwnedTensorVisitor() = default;
};

class OPWRIGHT_EXPORT TapeNode {
 public:
  TapeNode();
  explicit TapeNode(TapeEdges&& edges);
  TapeNode(const TapeNode&) = delete;
  TapeNode& operator=(const TapeNode&) = delete;

  void add_ref() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  // Destroys a long chain in a loop, not by recursion.
  void release() const noexcept;
  // The count, with kOpwCountHostBit as for a tensor (tensor/tensor_impl.h): if set, the node owns
  // its mirror, and the count does not include it.
  [[nodiscard]] std::atomic<uint32_t>& count_word() const noexcept { return count_; }

  // The name in errors: the operator's, or what the node does.
  [[nodiscard]] virtual std::string name() const = 0;
  // The name in Python, as PyTorch has it: "MulBackward0" for aten::mul.Tensor.
  [[nodiscard]] virtual std::string backward_name() const { return name(); }
  // ", called at file:line" if anomaly mode was on when it was recorded, else empty.
  [[nodiscard]] virtual std::string line_text() const { return {}; }
  // Computes the gradients along the edges from those of the outputs; undefined: none. Called at
  // the node's level.
  virtual void apply(std::span<Tensor> gradients, std::span<Tensor> given) = 0;
  // Releases what apply() needs; a later apply() is an error if there was something.
  virtual void release_saved() noexcept {}
  // Whether it accumulates gradients instead of passing them on (a leaf).
  [[nodiscard]] virtual bool accumulates() const noexcept { return false; }
  // Null: it has no formula with a context.
  [[nodiscard]] virtual FormulaNode* formula() noexcept { return nullptr; }
  // For the host language's garbage collector.
  virtual void visit_owned(OwnedTensorVisitor& /*visitor*/) const {}
  // Its object in the host language, or null; accessed with the GIL held.
  [[nodiscard]] void* mirror() const noexcept { return mirror_; }
  void set_mirror(void* mirror) noexcept { mirror_ = mirror; }

  [[nodiscard]] uint64_t age() const noexcept { return age_; }
  [[nodiscard]] std::span<const Edge> edges() const noexcept { return edges_; }
  // Only during construction: afterwards a node owns everything that its edges lead to until it is
  // destroyed.
  void add_edge(Edge edge) { edges_.push_back(std::move(edge)); }

  [[nodiscard]] uint32_t num_places() const noexcept {
    return static_cast<uint32_t>(places_.size());
  }
  [[nodiscard]] const ValueMeta& meta(uint32_t place) const { return places_[place]; }
  uint32_t add_place(ValueMeta meta) {
    places_.push_back(std::move(meta));
    return num_places() - 1;
  }

  [[nodiscard]] TapeHooks* hooks() const noexcept { return hooks_.get(); }
  // Each returns an id for remove_hook.
  uint64_t add_hook(uint32_t place, GradientHook hook);
  uint64_t add_retaining_hook(uint32_t place, GradientHook hook);
  uint64_t add_pre_hook(NodePreHook hook);
  uint64_t add_post_hook(NodeHook hook);
  void remove_hook(uint64_t id) noexcept;

  // The engine's hint where it stores this node's gradients; the engine checks it.
  std::atomic<uint32_t> engine_place{0};

 protected:
  virtual ~TapeNode();
  [[nodiscard]] ValueMeta& own_meta(uint32_t place) { return places_[place]; }

 private:
  TapeHooks& own_hooks();
  static void destroy(const TapeNode* node) noexcept;

  mutable std::atomic<uint32_t> count_{1};
  uint64_t age_;
  TapeEdges edges_;
  SmallVector<ValueMeta, 1> places_;
  std::unique_ptr<TapeHooks> hooks_;
  void* mirror_ = nullptr;
};

// The functions of the language that mirrors nodes. May be called without the GIL.
struct TapeMirrorTable {
  // The node owns its mirror and the last handle was dropped: takes over that count.
  void (*last_handle_dropped)(TapeNode* node);
};
// Call before the first mirror is set; the table is never freed.
OPWRIGHT_EXPORT void set_tape_mirror_table(const TapeMirrorTable& table) noexcept;

// Whether anomaly mode is on for this thread: nodes store the line of their call, and NaN gradients
// are reported where they arise.
[[nodiscard]] OPWRIGHT_EXPORT bool anomaly_mode() noexcept;
OPWRIGHT_EXPORT bool set_anomaly_mode(bool on) noexcept;  // returns the previous one

}  // namespace opwright
