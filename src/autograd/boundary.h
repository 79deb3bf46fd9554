// The boundary where history enters a transform that lifts tensors of other levels.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "opwright/autograd/tape.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

class Interpreter;

// Represents the outer history of a lifted tensor. Gradients with respect to it can be requested;
// backward() cannot go through it until it is opened.
class Boundary final : public TapeNode {
 public:
  Boundary(const Tensor& twin, Edge outside) : twin_(twin.get()), outside_(std::move(outside)) {
    add_place(ValueMeta(twin));
  }
  [[nodiscard]] std::string name() const override { return "boundary"; }
  void apply(std::span<Tensor> gradients, std::span<Tensor> given) override;
  // The lifted tensor that first had this history: an address for comparison only, valid while the
  // transform keeps its lifted tensors.
  [[nodiscard]] const OpwTensor* twin() const noexcept { return twin_; }
  // The transform ended early and its values became those outside: so does their history.
  void open();

 private:
  const OpwTensor* twin_;
  Edge outside_;  // the lifted tensor's outer history
};

// The lifted tensor inherits whether the foreign one requires grad and is a leaf, and its .grad,
// which stays foreign until it is used. Returns the boundary, if the history needs one.
IntrusivePtr<Boundary> adopt_history(const Tensor& foreign, const Tensor& twin);

// Called after the transform that lifted `foreign` ended early, when both are at one level: the
// foreign tensor gets the history that the lifted one got, and edges to the lifted one continue to
// it. Boundaries are opened separately, afterwards.
void give_history_back(const Tensor& foreign, const Tensor& twin);

// Lifts a view of a tensor with a history as the same view of the lifted root, so that a write to
// one of them is visible in the other. Undefined: it is not such a view.
[[nodiscard]] Tensor lift_as_view(const Tensor& foreign, Interpreter& level);

// The tensor that code at the current level refers to: the lifted counterpart of a foreign one, if
// it exists.
[[nodiscard]] OPWRIGHT_EXPORT Tensor seen(const Tensor& tensor);
// The same, but lifts a foreign tensor if necessary.
[[nodiscard]] Tensor lifted(const Tensor& tensor);

}  // namespace opwright
