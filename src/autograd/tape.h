// The tape: how values came about, as nodes that know how gradients flow back.
//
// A node stands for one recorded call. It takes the gradients of the values that the call gave (its
// *places*) and gives one gradient along each of its edges. Nodes belong to the level whose values
// they stand for: edges never leave it. A node is younger than all that its edges lead to, so that
// gradients flow in the order of falling ages, without a count of dependencies.
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

// Where a gradient goes: place `place` of a node; no node: nowhere.
struct Edge {
  TapeNodePtr node = nullptr;
  uint32_t place = 0;

  explicit operator bool() const noexcept { return node.get() != nullptr; }
  friend bool operator==(const Edge&, const Edge&) = default;
};

// One for each gradient that a node gives.
using TapeEdges = SmallVector<Edge, 2>;

// Gets the gradient of a value, and gives another one or an undefined tensor: as it was.
using GradientHook = std::function<Tensor(const Tensor& gradient)>;
// Before a node: the gradients of its places; they may be replaced.
using NodePreHook = std::function<void(std::span<Tensor> gradients)>;
// After a node: what it gave (may be replaced) and what it got.
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
  std::vector<OfPlace> retaining;  // after the others: what retain_grad keeps
  std::vector<OfNode<NodePreHook>> before;
  std::vector<OfNode<NodeHook>> after;
};

// Sees the tensors that a node owns beside its edges.
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
  // A long chain ends in a loop, not in a recursion.
  void release() const noexcept;
  // The count, with kOpwCountHostBit as a tensor has it (tensor/tensor_impl.h): set, the node owns
  // its mirror, and the count does not include it.
  [[nodiscard]] std::atomic<uint32_t>& count_word() const noexcept { return count_; }

  // As errors and Python show it: the operator's name, or what the node does.
  [[nodiscard]] virtual std::string name() const = 0;
  // ", called at file:line" where anomalies were looked for when it was recorded, else empty.
  [[nodiscard]] virtual std::string line_text() const { return {}; }
  // The gradients along the edges, for those of the places; undefined: none. Called at the node's
  // level.
  virtual void apply(std::span<Tensor> gradients, std::span<Tensor> given) = 0;
  // Lets go of what apply() needs; a later apply() is an error where there was something.
  virtual void release_saved() noexcept {}
  // Whether it keeps gradients instead of passing them on (a leaf).
  [[nodiscard]] virtual bool accumulates() const noexcept { return false; }
  // Null: it has no formula with a context.
  [[nodiscard]] virtual FormulaNode* formula() noexcept { return nullptr; }
  // For the host language's collector.
  virtual void visit_owned(OwnedTensorVisitor& /*visitor*/) const {}
  // The object of the host language that stands for it, or null; under that language's lock.
  [[nodiscard]] void* mirror() const noexcept { return mirror_; }
  void set_mirror(void* mirror) noexcept { mirror_ = mirror; }

  [[nodiscard]] uint64_t age() const noexcept { return age_; }
  [[nodiscard]] std::span<const Edge> edges() const noexcept { return edges_; }
  // While it is made: afterwards a node owns all that its edges lead to, to its end.
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
  // Each gives an id for remove_hook.
  uint64_t add_hook(uint32_t place, GradientHook hook);
  uint64_t add_retaining_hook(uint32_t place, GradientHook hook);
  uint64_t add_pre_hook(NodePreHook hook);
  uint64_t add_post_hook(NodeHook hook);
  void remove_hook(uint64_t id) noexcept;

  // The engine's note of where it keeps this node's gradients: a hint that it checks.
  std::atomic<uint32_t> engine_place{0};

 protected:
  virtual ~TapeNode();

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

// What the tape asks of the language that mirrors nodes. May be called without that language's
// lock.
struct TapeMirrorTable {
  // The node owns its mirror and this was the last handle: takes that count over.
  void (*last_handle_dropped)(TapeNode* node);
};
// Before the first mirror is set; the table stays for ever.
OPWRIGHT_EXPORT void set_tape_mirror_table(const TapeMirrorTable& table) noexcept;

// Whether anomalies are looked for on this thread: nodes keep the line of their call, and gradients
// that are not numbers are found where they arise.
[[nodiscard]] OPWRIGHT_EXPORT bool anomaly_mode() noexcept;
OPWRIGHT_EXPORT bool set_anomaly_mode(bool on) noexcept;  // gives the previous one

}  // namespace opwright
