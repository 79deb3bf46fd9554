// _foreach_add_.Scalar: adds one number to every tensor of a list.
#include <span>

#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/ops/engine/pointwise/pointwise_engine.h"
#include "opwright/scalar.h"
#include "opwright/tensor.h"

namespace opwright {

const PointwiseOp& add_op();

void foreach_add_scalar_in_place_cpu(std::span<const Tensor> self, const Scalar& scalar) {
  for (const Tensor& tensor : self) {
    const PointwiseCall call{.who = "_foreach_add_",
                             .op = &add_op(),
                             .operands = {{.tensor = &tensor}, {.number = scalar}},
                             .numbers = {1},
                             .others = {}};
    compute_pointwise_in_place(call, tensor);
  }
}

}  // namespace opwright
