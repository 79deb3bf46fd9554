#include "opwright/ops/optimizer/gradient_scale.h"

#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/ops/engine/pointwise/pointwise_engine.h"

namespace opwright {

const PointwiseOp& div_op();

double read_number(const Tensor& tensor) {
  if (tensor.dtype() == DType::Float32) [[likely]]
    return static_cast<double>(*tensor.data<float>());
  return *as_dtype(tensor, DType::Float64).data<double>();
}

bool unscale(std::span<const Tensor> gradients, const std::optional<Tensor>& grad_scale,
             const std::optional<Tensor>& found_inf) {
  if (found_inf && read_number(*found_inf) != 0) return false;
  if (!grad_scale) return true;
  const Scalar scale = read_number(*grad_scale);
  for (const Tensor& gradient : gradients) {
    const PointwiseCall call{.who = "grad_scale",
                             .op = &div_op(),
                             .operands = {{.tensor = &gradient}, {.number = scale}},
                             .numbers = {},
                             .others = {}};
    compute_pointwise_in_place(call, gradient);
  }
  return true;
}

}  // namespace opwright
