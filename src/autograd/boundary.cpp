#include "opwright/autograd/boundary.h"

#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/value.h"

namespace opwright {

void Boundary::apply(std::span<Tensor> /*gradients*/, std::span<Tensor> /*given*/) {
  throw_error("RuntimeError",
              "backward: inside of the traced function it reached a tensor that was computed "
              "outside, whose history is not part of the trace\n  Take the gradient with "
              "autograd.grad and return it, or detach the tensor.");
}

void adopt_history(const Tensor& foreign, const Tensor& twin) {
  if (requires_grad(foreign)) {
    if (is_leaf(foreign)) {
      impl(twin).flags |= kOpwFlagRequiresGrad;
    } else {
      set_history(twin, TapeNodePtr::take(new Boundary(twin)), 0);
    }
  }
  Tensor gradient = gradient_of(foreign);
  if (gradient.is_defined()) history_of(twin).gradient() = std::move(gradient);
}

Tensor lift_as_view(const Tensor& foreign, Interpreter& level) {
  const History* history = find_history(foreign.get());
  if (!history || !history->view || !history->view->is_differentiable()) return {};
  if (!requires_grad(foreign) && !requires_grad(history->root)) return {};
  const InterpreterScope scope(&level);
  const AttentionScope grad_on(kAttentionGradOff, false);
  return replay(steps_to(history->view), history->root);
}

Tensor seen(const Tensor& tensor) {
  for (Interpreter* level = current_interpreter(); level; level = level->parent()) {
    if (impl(tensor).home == level) return tensor;
    if (!level->traits().lifts) continue;
    if (OpwTensor* twin = level->find_twin(tensor.get())) return Tensor::borrow(twin);
  }
  return tensor;
}

Tensor lifted(const Tensor& tensor) {
  Interpreter* level = current_interpreter();
  if (!level || !level->traits().lifts) return tensor;
  OpwValue value = ValueOf<Tensor>::lend(tensor);
  level->lift({&value, 1});
  return Tensor::borrow(value.as_tensor);
}

}  // namespace opwright
