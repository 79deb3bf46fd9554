#include "opwright/ops/pad/pad_gradients.h"

#include "opwright/functions.h"
#include "opwright/ops/view/view_gradients.h"

namespace opwright {

Tensor unpad(const Tensor& grad, std::span<const SymInt> pad) {
  return constant_pad_nd(grad, negated(pad));
}

}  // namespace opwright
