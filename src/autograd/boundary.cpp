#include "opwright/autograd/boundary.h"

#include "opwright/autograd/accumulate.h"
#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/value.h"

namespace opwright {

void Boundary::open() {
  if (edges().empty()) add_edge(std::move(outside_));
}

void Boundary::apply(std::span<Tensor> gradients, std::span<Tensor> given) {
  if (!edges().empty()) {
    given[0] = std::move(gradients[0]);
    return;
  }
  throw_error("RuntimeError",
              "backward: inside of the traced function it reached a tensor that was computed "
              "outside, whose history is not part of the trace\n  Take the gradient with "
              "autograd.grad and return it, or detach the tensor.");
}

IntrusivePtr<Boundary> adopt_history(const Tensor& foreign, const Tensor& twin) {
  IntrusivePtr<Boundary> boundary;
  if (requires_grad(foreign)) {
    Edge outside = edge_of(foreign);  // first, to be older than nodes on the lifted tensor
    if (is_leaf(foreign)) {
      impl(twin).flags |= kOpwFlagRequiresGrad;
      copy_gradient_dtype(foreign, twin);
    } else {
      boundary = IntrusivePtr<Boundary>::take(new Boundary(twin, std::move(outside)));
      set_history(twin, TapeNodePtr::share(boundary.get()), 0);
    }
  }
  Tensor gradient = gradient_of(foreign);
  if (gradient.is_defined()) history_of(twin).gradient() = std::move(gradient);
  return boundary;
}

void give_history_back(const Tensor& foreign, const Tensor& twin) {
  History* got = find_history(twin.get());
  const bool is_view = got && got->view && got->view->is_differentiable();
  if (!is_view) {  // a view's history follows its root
    const bool is_needed = (impl(twin).flags & kOpwFlagRequiresGrad) != 0;
    if (got && got->node && got->rebases > 0) {
      set_history(foreign, got->node, got->place);
      history_of(foreign).rebases += got->rebases;
    } else if (!is_needed && requires_grad(foreign)) {
      detach_in_place(foreign);
    } else if (is_needed && !requires_grad(foreign)) {
      set_requires_grad(foreign, true);
    }
  }
  if (got && got->accumulator && requires_grad(foreign)) {
    static_cast<Accumulate&>(*got->accumulator).lead_to(edge_of(foreign));
  }
}

Tensor lift_as_view(const Tensor& foreign, Interpreter& level) {
  const History* history = find_history(foreign.get());
  if (!history || !history->view || !history->view->is_differentiable()) return {};
  if (!requires_grad(foreign) && !requires_grad(history->root)) return {};
  const ViewRecord* fixed = history->view->find_fixed_step();
  if (fixed && fixed->is_of_function) return {};  // its backward is the Function's
  const InterpreterScope scope(&level);
  const AttentionScope grad_on(kAttentionGradOff, false);
  return replay(steps_to(history->view), history->root);
}

Tensor seen(const Tensor& tensor) {
  for (Interpreter* level = current_interpreter(); level; level = level->parent()) {
    if (impl(tensor).level == level) return tensor;
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
