// Activations that are not pointwise operations themselves: some are others with fixed numbers,
// some return two results, and glu halves a dimension.
#include <tuple>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/pointwise/pointwise_apply.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {

const PointwiseOp& log_sigmoid_op();
const PointwiseOp& log_sigmoid_buffer_op();
const PointwiseOp& prelu_backward_op();
const PointwiseOp& prelu_weight_backward_op();
const PointwiseOp& glu_op();
const PointwiseOp& glu_backward_op();
const PointwiseOp& glu_gate_backward_op();

namespace {

constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

double check_celu(const Scalar& alpha) {
  const double value = alpha.to<double>();
  OPWRIGHT_CHECK(value != 0, "celu: alpha must not be zero");
  return value;
}

template <class AnyTensor>
std::tuple<AnyTensor, AnyTensor> log_sigmoid_of(const AnyTensor& self) {
  return {apply_pointwise("log_sigmoid_forward", log_sigmoid_op(), {&self}),
          apply_pointwise("log_sigmoid_forward", log_sigmoid_buffer_op(), {&self})};
}

template <class AnyTensor>
std::tuple<AnyTensor, AnyTensor> prelu_gradients(const AnyTensor& grad_output,
                                                 const AnyTensor& self, const AnyTensor& weight) {
  constexpr const char* kWho = "_prelu_kernel_backward";
  return {apply_pointwise(kWho, prelu_backward_op(), {&self, &weight, &grad_output}),
          apply_pointwise(kWho, prelu_weight_backward_op(), {&self, &weight, &grad_output})};
}

// A dimension of even size. RuntimeError.
template <class AnyTensor>
int64_t halved_dim(const char* who, const AnyTensor& self, int64_t dim) {
  OPWRIGHT_CHECK(self.dim() > 0, who, ": self has zero dimensions, so none can be halved");
  const auto along = static_cast<int64_t>(wrap_dim(dim, static_cast<size_t>(self.dim()), who));
  OPWRIGHT_DEMAND(self.size(along) % 2 == 0, who, ": dimension ", along, " of self (", self,
                  ") must have an even size");
  return along;
}
template <class AnyTensor>
AnyTensor half_of(const AnyTensor& self, int64_t dim, bool is_second) {
  const auto size = self.size(dim);
  const SymInt half(size / 2);
  return is_second ? slice(self, dim, half, half * 2) : slice(self, dim, SymInt(0), half);
}

template <class AnyTensor>
AnyTensor glu_of(const AnyTensor& self, int64_t dim) {
  const int64_t along = halved_dim("glu", self, dim);
  const AnyTensor values = half_of(self, along, false);
  const AnyTensor gates = half_of(self, along, true);
  return apply_pointwise("glu", glu_op(), {&values, &gates});
}

template <class AnyTensor>
void check_glu_gradient(const AnyTensor& grad_output, const AnyTensor& self, int64_t dim) {
  const auto message = [&] {
    return concatenate("glu_backward: grad_output (", grad_output,
                       ") must have the sizes of self (", self, ") with half of dimension ", dim);
  };
  demand(grad_output.dim() == self.dim(), "RuntimeError", message);
  for (int64_t i = 0; i < self.dim(); ++i)
    demand(grad_output.size(i) == (i == dim ? self.size(i) / 2 : self.size(i)), "RuntimeError",
           message);
}

}  // namespace

Tensor celu_all_devices(const Tensor& self, const Scalar& alpha) {
  return elu(self, alpha, 1, 1 / check_celu(alpha));
}
Tensor& celu_in_place_all_devices(Tensor& self, const Scalar& alpha) {
  return elu_(self, alpha, 1, 1 / check_celu(alpha));
}
Tensor selu_composite(const Tensor& self) { return elu(self, kSeluAlpha, kSeluScale); }
Tensor& selu_in_place_composite(Tensor& self) { return elu_(self, kSeluAlpha, kSeluScale); }
Tensor relu6_composite(const Tensor& self) { return hardtanh(self, 0, 6); }
Tensor& relu6_in_place_composite(Tensor& self) { return hardtanh_(self, 0, 6); }

std::tuple<Tensor, Tensor> log_sigmoid_forward_cpu(const Tensor& self) {
  return log_sigmoid_of(self);
}
std::tuple<FakeTensor, FakeTensor> log_sigmoid_forward_fake(const FakeTensor& self) {
  return log_sigmoid_of(self);
}
Tensor log_sigmoid_composite(const Tensor& self) { return std::get<0>(log_sigmoid_forward(self)); }

// One weight for all elements, or one per channel.
Tensor prelu_composite(const Tensor& self, const Tensor& weight) {
  OPWRIGHT_CHECK_TYPE(self.dtype() == weight.dtype(), "prelu: weight of ", weight.dtype(),
                      " must have the dtype of self, ", self.dtype());
  OPWRIGHT_CHECK(weight.dim() <= 1, "prelu: weight must have zero or one dimension, got ", weight);
  if (weight.dim() == 0 || guard_or_false(weight.sym_size(0) == 1))
    return _prelu_kernel(self, weight.reshape({}));
  OPWRIGHT_CHECK(self.dim() > 0, "prelu: self has zero dimensions, so weight (", weight,
                 ") must hold one number");
  const int64_t channel_dim = self.dim() > 1 ? 1 : 0;
  OPWRIGHT_DEMAND(weight.sym_size(0) == (self.dim() > 1 ? self.sym_size(1) : SymInt(1)),
                  "prelu: weight (", weight, ") must hold one number for each channel of self (",
                  self, ")");
  SymSizes sizes(static_cast<size_t>(self.dim()), 1);
  sizes[static_cast<size_t>(channel_dim)] = weight.sym_size(0);
  return _prelu_kernel(self, weight.reshape(sizes));
}
std::tuple<Tensor, Tensor> prelu_backward_cpu(const Tensor& grad_output, const Tensor& self,
                                              const Tensor& weight) {
  return prelu_gradients(grad_output, self, weight);
}
std::tuple<FakeTensor, FakeTensor> prelu_backward_fake(const FakeTensor& grad_output,
                                                       const FakeTensor& self,
                                                       const FakeTensor& weight) {
  return prelu_gradients(grad_output, self, weight);
}

Tensor glu_cpu(const Tensor& self, int64_t dim) { return glu_of(self, dim); }
FakeTensor glu_fake(const FakeTensor& self, int64_t dim) { return glu_of(self, dim); }

Tensor glu_backward_cpu(const Tensor& grad_output, const Tensor& self, int64_t dim) {
  constexpr const char* kWho = "glu_backward";
  const int64_t along = halved_dim(kWho, self, dim);
  check_glu_gradient(grad_output, self, along);
  const Tensor values = half_of(self, along, false);
  const Tensor gates = half_of(self, along, true);
  Tensor result = self.new_empty(sym_geometry_of(self).sizes);
  Tensor of_values = half_of(result, along, false);
  Tensor of_gates = half_of(result, along, true);
  of_values.copy_(apply_pointwise(kWho, glu_backward_op(), {&grad_output, &gates}));
  of_gates.copy_(apply_pointwise(kWho, glu_gate_backward_op(), {&grad_output, &values, &gates}));
  return result;
}
FakeTensor glu_backward_fake(const FakeTensor& grad_output, const FakeTensor& self, int64_t dim) {
  constexpr const char* kWho = "glu_backward";
  const int64_t along = halved_dim(kWho, self, dim);
  check_glu_gradient(grad_output, self, along);
  const FakeTensor gates = half_of(self, along, true);
  (void)apply_pointwise(kWho, glu_backward_op(), {&grad_output, &gates});
  return make_fake_like(self, self.sizes(), self.dtype());
}

}  // namespace opwright
