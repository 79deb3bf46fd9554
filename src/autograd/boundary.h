// Where history enters a transform that lifts tensors of other levels.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "opwright/autograd/tape.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

class Interpreter;

// Stands for the history that a lifted tensor has outside. Gradients with respect to it can be
// asked for; backward() cannot go through it, until it is opened.
class Boundary final : public TapeNode {
 public:
  Boundary(const Tensor& twin, Edge outside) : twin_(twin.get()), outside_(std::move(outside)) {
    add_place(ValueMeta(twin));
  }
  [[nodiscard]] std::string name() const override { return "boundary"; }
  void apply(std::span<Tensor> gradients, std::span<Tensor> given) override;
  // The lifted tensor whose history it was at first: an address to compare, for as long as the
  // transform keeps its twins.
  [[nodiscard]] const OpwTensor* twin() const noexcept { return twin_; }
  // The transform ended early and its values are those outside: so is their history.
  void open();

 private:
  const OpwTensor* twin_;
  Edge outside_;  // of the lifted tensor
};

// The twin keeps of the foreign tensor whether it requires grad, whether it is a leaf, and its
// .grad, which is foreign until it is used. Gives the boundary, if the history needs one.
IntrusivePtr<Boundary> adopt_history(const Tensor& foreign, const Tensor& twin);

// The transform that lifted `foreign` ended early, and both are of one level now: the history that
// the twin got becomes the foreign tensor's, and what leads to the twin leads on to it. Boundaries
// are opened apart, after all.
void give_history_back(const Tensor& foreign, const Tensor& twin);

// A tensor that is a view of one with a history: lifted as the same view of the root's twin, so
// that a write to one of them is seen by the other. Undefined: it is no such view.
[[nodiscard]] Tensor lift_as_view(const Tensor& foreign, Interpreter& level);

// The tensor that the code at the current level means: the twin of a foreign one, where there is
// one already.
[[nodiscard]] OPWRIGHT_EXPORT Tensor seen(const Tensor& tensor);
// The same, and a foreign tensor gets its twin now.
[[nodiscard]] Tensor lifted(const Tensor& tensor);

}  // namespace opwright
