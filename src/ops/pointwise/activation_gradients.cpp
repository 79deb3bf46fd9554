#include "opwright/ops/pointwise/activation_gradients.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "opwright/functions.h"
#include "opwright/ops/view/view_gradients.h"

namespace opwright {

Tensor gelu_curvature(const Tensor& self, std::string_view approximate) {
  if (approximate != "tanh") {
    const double height = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    const Tensor square = self * self;
    return (square * -0.5).exp() * (2 - square) * height;
  }
  // x * (1 + tanh(u)) / 2 with u = a * (x + b * x^3)
  const double a = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  const double b = 0.044715;
  const Tensor square = self * self;
  const Tensor t = (self * (1 + square * b) * a).tanh();
  const Tensor slope = (1 + square * (3 * b)) * a;
  const Tensor bend = self * (6 * a * b);
  const Tensor falling = 1 - t * t;
  return falling * (slope + self * bend * 0.5 - self * t * slope * slope);
}

Tensor silu_curvature(const Tensor& self) {
  const Tensor s = self.sigmoid();
  return s * (1 - s) * (2 + self * (1 - s * 2));
}

Tensor mish_curvature(const Tensor& self) {
  const Tensor s = self.sigmoid();
  const Tensor t = softplus(self).tanh();
  return (1 - t * t) * s * (2 + self * (1 - s) - self * t * s * 2);
}

Tensor softplus_curvature(const Tensor& self, const Scalar& beta, const Scalar& threshold) {
  const Tensor x = self * beta;
  const Tensor s = x.sigmoid();
  return where(x.lt(threshold), s * (1 - s) * beta, 0);
}

Tensor elu_second_gradient(const Tensor& grad, const Scalar& alpha, const Scalar& scale,
                           const Scalar& input_scale, bool is_result,
                           const Tensor& self_or_result) {
  const Tensor inner = grad * input_scale;
  const Tensor bent =
      is_result ? inner : elu_backward(inner, alpha, scale, input_scale, is_result, self_or_result);
  return where(self_or_result.lt(0), bent, 0);
}

Scalar reciprocal(const Scalar& number) { return 1.0 / number.to<double>(); }

std::tuple<Tensor, Tensor, Tensor> prelu_second_gradients(const Tensor& grad_input,
                                                          const Tensor& grad_weight,
                                                          const Tensor& grad_output,
                                                          const Tensor& self,
                                                          const Tensor& weight) {
  const Tensor is_straight = self.gt(0);
  return {where(is_straight, grad_input, grad_input * weight + grad_weight * self),
          where(is_straight, 0, grad_weight * grad_output),
          sum_to(where(is_straight, 0, grad_input * grad_output), sizes_of(weight))};
}

std::tuple<Tensor, Tensor> glu_second_gradients(const Tensor& grad, const Tensor& grad_output,
                                                const Tensor& self, int64_t dim) {
  const std::vector<Tensor> halves = chunk(self, 2, dim);
  const std::vector<Tensor> grads = chunk(grad, 2, dim);
  const Tensor s = halves[1].sigmoid();
  const Tensor slope = s * (1 - s);
  const Tensor of_value = grads[1] * grad_output * slope;
  const Tensor of_gate = grad_output * slope * (grads[0] + grads[1] * halves[0] * (1 - s * 2));
  return {grads[0] * s + grads[1] * halves[0] * slope,
          cat(std::vector<Tensor>{of_value, of_gate}, dim)};
}

}  // namespace opwright
