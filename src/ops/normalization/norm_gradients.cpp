#include "opwright/ops/normalization/norm_gradients.h"

#include <cstdint>

#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// How a norm reshapes its operands: which elements share statistics, and which share parameters.
struct NormView {
  SymSizes sizes;
  Sizes shared;         // dimensions that a mean is computed over
  SymSizes statistics;  // sizes of a mean
  Sizes repeated;       // dimensions that parameters are repeated over
  SymSizes parameters;  // sizes of a weight

  // Halves are computed in float32, like in the norms themselves.
  [[nodiscard]] Tensor of(const Tensor& tensor) const {
    const bool is_half = tensor.dtype() == DType::Float16 || tensor.dtype() == DType::BFloat16;
    return is_half ? tensor.reshape(sizes).to(DType::Float32) : tensor.reshape(sizes);
  }
  [[nodiscard]] Tensor mean(const Tensor& tensor) const { return tensor.mean(shared, true); }
  [[nodiscard]] SymInt count() const {
    SymInt product = 1;
    for (const int64_t dim : shared) product = product * sizes[static_cast<size_t>(dim)];
    return product;
  }
};

NormView view_layers(const Tensor& input, std::span<const SymInt> normalized_shape) {
  const SymInt count = product(normalized_shape);
  SymInt rows = 1;
  const int64_t leading = input.dim() - static_cast<int64_t>(normalized_shape.size());
  for (int64_t i = 0; i < leading; ++i) rows = rows * input.sym_size(i);
  return {{rows, count}, {1}, {rows, SymInt(1)}, {0}, {SymInt(1), count}};
}
NormView view_groups(const SymInt& batch, const SymInt& channels, const SymInt& area,
                     int64_t group) {
  const SymInt groups = group;
  const SymInt width = channels / groups;
  return {{batch, groups, width, area},
          {2, 3},
          {batch, groups, SymInt(1), SymInt(1)},
          {0, 3},
          {SymInt(1), groups, width, SymInt(1)}};
}
NormView view_channels(const Tensor& input) {
  SymInt area = 1;
  for (int64_t i = 2; i < input.dim(); ++i) area = area * input.sym_size(i);
  const SymSizes channels{SymInt(1), input.sym_size(1), SymInt(1)};
  return {{input.sym_size(0), input.sym_size(1), area}, {0, 2}, channels, {0, 2}, channels};
}

// The factor and the result of a norm before the weight, as functions of its input.
struct Normalized {
  Tensor reciprocal;  // 1 / sqrt(variance + eps)
  Tensor values;      // (input - mean) * reciprocal

  // v minus its projection on changes of mean and variance; symmetric.
  [[nodiscard]] Tensor project(const NormView& view, const Tensor& v) const {
    return v.sub(view.mean(v)).sub(values.mul(view.mean(v.mul(values))));
  }
};

// The forward's reciprocal is a constant here; eps, which is not known, is derived from it and the
// variance. So derivatives of any order are those of the norm.
Normalized normalize(const NormView& view, const Tensor& input, const Tensor& rstd) {
  const Tensor centered = input.sub(view.mean(input));
  const Tensor variance = view.mean(centered.mul(centered));
  const Tensor found = rstd.detach().reshape(view.statistics);
  const Tensor epsilon = found.mul(found).reciprocal().sub(variance.detach());
  const Tensor reciprocal = variance.add(epsilon).rsqrt();
  return {reciprocal, centered.mul(reciprocal)};
}

Tensor sum_if_defined(const Tensor& a, const Tensor& b) {
  if (!a.is_defined()) return b;
  return b.is_defined() ? a.add(b) : a;
}

// The operands of a backward operator and the gradients of its results, reshaped like in the norm.
struct BackwardCall {
  Tensor grad_out, input;
  Tensor weight;                        // undefined: none
  Tensor of_input, of_weight, of_bias;  // undefined: missing

  BackwardCall(const NormView& view, const ThreeTensors& grads, const Tensor& gradient,
               const Tensor& x, const std::optional<Tensor>& scales)
      : grad_out(view.of(gradient)), input(view.of(x)) {
    if (scales) weight = scales->reshape(view.parameters);
    if (std::get<0>(grads).is_defined()) of_input = view.of(std::get<0>(grads));
    if (std::get<1>(grads).is_defined()) of_weight = std::get<1>(grads).reshape(view.parameters);
    if (std::get<2>(grads).is_defined()) of_bias = std::get<2>(grads).reshape(view.parameters);
  }
  [[nodiscard]] Tensor weighted(const Tensor& tensor) const {
    return weight.is_defined() ? tensor.mul(weight) : tensor;
  }
};

// With g = grad_out * weight and normalized values x, the operator returns
//   r * project(g),  sum(grad_out * x),  sum(grad_out).
ThreeTensors differentiate(const NormView& view, const BackwardCall& call,
                           const Normalized& normalized, const WantedNormGradients& wanted) {
  const Tensor& x = normalized.values;
  const Tensor& r = normalized.reciprocal;
  ThreeTensors gradients;
  Tensor moved;  // r * project(of_input)
  if (call.of_input.is_defined() && (wanted.grad_out || wanted.weight))
    moved = normalized.project(view, call.of_input).mul(r);
  if (wanted.grad_out) {
    Tensor sum = moved.is_defined() ? call.weighted(moved) : Tensor();
    if (call.of_weight.is_defined()) sum = sum_if_defined(sum, x.mul(call.of_weight));
    if (call.of_bias.is_defined()) sum = sum_if_defined(sum, call.of_bias.expand(view.sizes));
    std::get<0>(gradients) = sum;
  }
  if (wanted.input) {
    Tensor of_values;
    Tensor of_reciprocal;
    if (call.of_weight.is_defined()) of_values = call.grad_out.mul(call.of_weight);
    if (call.of_input.is_defined()) {
      const Tensor g = call.weighted(call.grad_out);
      const Tensor& v = call.of_input;
      const Tensor crossed = v.mul(view.mean(g.mul(x))).add(g.mul(view.mean(v.mul(x)))).mul(r);
      of_values = of_values.is_defined() ? of_values.sub(crossed) : crossed.neg();
      of_reciprocal = view.mean(v.mul(normalized.project(view, g))).mul(r).mul(r).mul(x);
    }
    if (of_values.is_defined()) {
      Tensor sum = normalized.project(view, of_values).mul(r);
      std::get<1>(gradients) = of_reciprocal.is_defined() ? sum.sub(of_reciprocal) : sum;
    }
  }
  if (wanted.weight && moved.is_defined())
    std::get<2>(gradients) = call.grad_out.mul(moved).sum(view.repeated);
  return gradients;
}

// Converts to the sizes and dtypes of the operator's arguments.
ThreeTensors fit_to_arguments(const ThreeTensors& gradients, const Tensor& grad_out,
                              const Tensor& input, const std::optional<Tensor>& weight) {
  const auto as = [](const Tensor& gradient, const Tensor& like) {
    if (!gradient.is_defined()) return gradient;
    return gradient.reshape(sym_geometry_of(like).sizes).to(like.dtype());
  };
  return {as(std::get<0>(gradients), grad_out), as(std::get<1>(gradients), input),
          weight ? as(std::get<2>(gradients), *weight) : Tensor()};
}

// Running statistics do not depend on the input: every result is a product.
ThreeTensors differentiate_running(const NormView& view, const BackwardCall& call,
                                   const Tensor& mean, const Tensor& reciprocal,
                                   const WantedNormGradients& wanted) {
  ThreeTensors gradients;
  if (wanted.grad_out) {
    Tensor sum;
    if (call.of_input.is_defined()) sum = call.weighted(call.of_input).mul(reciprocal);
    if (call.of_weight.is_defined())
      sum = sum_if_defined(sum, call.input.sub(mean).mul(reciprocal).mul(call.of_weight));
    if (call.of_bias.is_defined()) sum = sum_if_defined(sum, call.of_bias.expand(view.sizes));
    std::get<0>(gradients) = sum;
  }
  if (wanted.input && call.of_weight.is_defined())
    std::get<1>(gradients) = call.grad_out.mul(call.of_weight).mul(reciprocal);
  if (wanted.weight && call.of_input.is_defined())
    std::get<2>(gradients) = call.grad_out.mul(call.of_input).mul(reciprocal).sum(view.repeated);
  return gradients;
}

// The gradient through the mean of a group and 1 / sqrt(variance + eps).
Tensor statistics_gradient(const NormView& view, const ThreeTensors& grads, const Tensor& input,
                           const Tensor& mean, const Tensor& rstd) {
  const Scalar count = view.count();
  Tensor sum;
  if (std::get<1>(grads).is_defined()) {
    sum = std::get<1>(grads).reshape(view.statistics).div(count).expand(view.sizes);
  }
  if (std::get<2>(grads).is_defined()) {
    const Tensor r = rstd.reshape(view.statistics);
    const Tensor slope = std::get<2>(grads).reshape(view.statistics).mul(r).mul(r).mul(r);
    const Tensor centered = view.of(input).sub(mean.reshape(view.statistics));
    sum = sum_if_defined(sum, centered.mul(slope.div(count).neg()));
  }
  return sum;
}

}  // namespace

ThreeTensors group_norm_gradients(const ThreeTensors& grads, const Tensor& input,
                                  const std::optional<Tensor>& weight, const Tensor& mean,
                                  const Tensor& rstd, const SymInt& batch, const SymInt& channels,
                                  const SymInt& area, int64_t group, std::span<const bool> wanted) {
  ThreeTensors gradients;
  if (std::get<0>(grads).is_defined()) {
    gradients = native_group_norm_backward(std::get<0>(grads), input, mean, rstd, weight, batch,
                                           channels, area, group, wanted);
  }
  if (!wanted[0]) return gradients;
  const NormView view = view_groups(batch, channels, area, group);
  const Tensor more = statistics_gradient(view, grads, input, mean, rstd);
  if (more.is_defined()) {
    std::get<0>(gradients) = sum_if_defined(
        std::get<0>(gradients), more.reshape(sym_geometry_of(input).sizes).to(input.dtype()));
  }
  return gradients;
}

ThreeTensors layer_norm_backward_gradients(const ThreeTensors& grads, const Tensor& grad_out,
                                           const Tensor& input,
                                           std::span<const SymInt> normalized_shape,
                                           const Tensor& rstd, const std::optional<Tensor>& weight,
                                           const WantedNormGradients& wanted) {
  const NormView view = view_layers(input, normalized_shape);
  const BackwardCall call(view, grads, grad_out, input, weight);
  const Normalized normalized = normalize(view, call.input, rstd);
  return fit_to_arguments(differentiate(view, call, normalized, wanted), grad_out, input, weight);
}

ThreeTensors group_norm_backward_gradients(const ThreeTensors& grads, const Tensor& grad_out,
                                           const Tensor& input, const Tensor& rstd,
                                           const std::optional<Tensor>& weight, const SymInt& batch,
                                           const SymInt& channels, const SymInt& area,
                                           int64_t group, const WantedNormGradients& wanted) {
  const NormView view = view_groups(batch, channels, area, group);
  const BackwardCall call(view, grads, grad_out, input, weight);
  const Normalized normalized = normalize(view, call.input, rstd);
  return fit_to_arguments(differentiate(view, call, normalized, wanted), grad_out, input, weight);
}

ThreeTensors batch_norm_backward_gradients(const ThreeTensors& grads, const Tensor& grad_out,
                                           const Tensor& input, const std::optional<Tensor>& weight,
                                           const std::optional<Tensor>& running_mean,
                                           const std::optional<Tensor>& running_var,
                                           const std::optional<Tensor>& save_invstd, bool train,
                                           double eps, const WantedNormGradients& wanted) {
  const NormView view = view_channels(input);
  const BackwardCall call(view, grads, grad_out, input, weight);
  if (train) {
    const Normalized normalized = normalize(view, call.input, *save_invstd);
    return fit_to_arguments(differentiate(view, call, normalized, wanted), grad_out, input, weight);
  }
  const Tensor mean = running_mean->reshape(view.statistics);
  const Tensor reciprocal = running_var->reshape(view.statistics).add(eps).rsqrt();
  return fit_to_arguments(differentiate_running(view, call, mean, reciprocal, wanted), grad_out,
                          input, weight);
}

}  // namespace opwright
