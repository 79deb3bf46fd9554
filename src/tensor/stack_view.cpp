#include "opwright/tensor/stack_view.h"

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/tensor.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

// The head is the first member, so both have the same address.
template <class View>
View& as_view(OpwTensor* tensor) {
  return *reinterpret_cast<View*>(tensor);
}

}  // namespace

constinit const OpwTensorTable StackView::kTable{.struct_size = sizeof(OpwTensorTable),
                                                 .release = &StackView::release,
                                                 .promote = &StackView::promote,
                                                 .refresh = &StackView::refresh,
                                                 .symbolic = &StackView::symbolic};

StackView::StackView(const Tensor& shown) : view_{} {
  const TensorImpl& tensor = impl(shown);
  view_.head = {
      .owner = &kTable, .count = 1, .flags = tensor.flags | kOpwFlagView, .dl = tensor.dl};
  view_.shown = shown.get();
}

OpwTensor* StackView::shown_by(OpwTensor* view) {
  OPWRIGHT_ASSERT(view->owner == &kTable);
  return as_view<View>(view).shown;
}

OpwTensor* StackView::promote(OpwTensor* view) { return retain_tensor(as_view<View>(view).shown); }

void StackView::release(OpwTensor* /*view*/) {}  // the stack owns it

int StackView::refresh(OpwTensor* view) {
  View& self = as_view<View>(view);
  const int status = self.shown->owner->refresh(self.shown);
  self.head.flags = self.shown->flags | kOpwFlagView;
  self.head.dl = self.shown->dl;
  return status;
}

int StackView::symbolic(const OpwTensor* view, OpwSymbolicShape* shape) {
  const OpwTensor* shown = reinterpret_cast<const View*>(view)->shown;
  return shown->owner->symbolic(shown, shape);
}

}  // namespace opwright
