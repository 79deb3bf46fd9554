#include "opwright/autograd/scatter_node.h"

#include <utility>

#include "opwright/functions.h"

namespace opwright {
ScatterNode::ScatterNode(const Tensor& root, const Tensor& view, ViewSteps steps)
    : steps_(std::move(steps)), root_(sym_geometry_of(root)), view_(view) {
  add_place(ValueMeta(root));
}

// Views of the gradient must be possible where views of the root were: it gets the root's strides.
void ScatterNode::apply(std::span<Tensor> gradients, std::span<Tensor> given) {
  Tensor gradient = std::move(gradients[0]);
  if (!gradient.is_defined()) return;
  if (!has_strides(gradient, root_)) {
    const Tensor like_root = opwright::empty_strided(root_.sizes, root_.strides, gradient.dtype(),
                                                     {}, gradient.device());
    gradient = opwright::copy(like_root, gradient);
  }
  if (edges()[1]) given[1] = replay(steps_, gradient);
  if (edges()[0]) given[0] = scatter(gradient, view_.zeros(), steps_);
}

}  // namespace opwright
