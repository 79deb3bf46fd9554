// The end of a history: a leaf, which accumulates its gradient.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "opwright/autograd/tape.h"
#include "opwright/tensor.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/visibility.h"

namespace opwright {

// Adds to the tensor's own .grad; recorded if grad mode is on. Several threads may add to one leaf.
// The first gradient becomes .grad itself if it has no other owners than `observers`.
void accumulate(const Tensor& leaf, Tensor gradient, uint32_t observers = 0);

class OPWRIGHT_EXPORT Accumulate final : public TapeNode {
 public:
  // The leaf owns this node and notifies it when it is destroyed.
  explicit Accumulate(const Tensor& leaf);

  [[nodiscard]] std::string name() const override { return "accumulate"; }
  [[nodiscard]] std::string backward_name() const override { return "AccumulateGrad"; }
  void apply(std::span<Tensor> gradients, std::span<Tensor> given) override;
  [[nodiscard]] bool accumulates() const noexcept override { return edges().empty(); }
  // The leaf represents an outer one, which receives the gradients from here on.
  void lead_to(Edge outside) { add_edge(std::move(outside)); }

  // Undefined: the leaf was destroyed. Any thread.
  [[nodiscard]] Tensor leaf() const;
  void forget_leaf() noexcept;
  // The last handle of the leaf is being dropped. False: leaf() returned another one meanwhile, and
  // the leaf lives on without the dropped one.
  [[nodiscard]] bool let_leaf_go() noexcept;
  // The dtype of the gradients that arrive from here on; no value: any.
  void set_gradient_dtype(std::optional<DType> dtype) noexcept {
    own_meta(0).set_gradient_dtype(dtype);
  }
  // Held while a gradient is added.
  [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  // Runs after the gradient was accumulated, with the leaf.
  uint64_t add_leaf_hook(std::function<void(const Tensor& leaf)> hook) {
    return add_post_hook([this, hook = std::move(hook)](auto /*given*/, auto /*gradients*/) {
      if (const Tensor left = leaf(); left.is_defined()) hook(left);
    });
  }

 private:
  mutable std::mutex mutex_;
  TensorImpl* leaf_;  // borrowed; protected by the mutex
};

}  // namespace opwright
