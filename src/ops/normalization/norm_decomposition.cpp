// Decompositions of layer, group and batch norms and their gradients.
//
// A norm reshapes its input, computes mean and variance over the dimensions that share them, and
// scales and shifts along the others. Halves are computed in float32.
#include <algorithm>
#include <optional>
#include <span>
#include <tuple>

#include "opwright/ops/rule/decomposition.h"

namespace opwright {
namespace {

using OptionalTensor = std::optional<Tensor>;
using Tensors = std::tuple<Tensor, Tensor, Tensor>;

struct NormDims {
  SymSizes sizes;       // of the reshaped input
  Sizes shared;         // dimensions that a mean is computed over
  SymSizes parameters;  // sizes of a broadcastable weight
  Sizes repeated;       // dimensions that parameters are repeated over
};

NormDims dims_of_layers(const Tensor& input, std::span<const SymInt> shape) {
  NormDims dims{.sizes = sym_geometry_of(input).sizes,
                .shared = {},
                .parameters = SymSizes(shape.begin(), shape.end()),
                .repeated = {}};
  const int64_t leading = input.dim() - static_cast<int64_t>(shape.size());
  for (int64_t i = 0; i < input.dim(); ++i)
    (i < leading ? dims.repeated : dims.shared).push_back(i);
  return dims;
}
NormDims dims_of_groups(const SymInt& batch, const SymInt& channels, const SymInt& area,
                        int64_t group) {
  const SymInt width = channels / group;
  return {{batch, SymInt(group), width, area},
          {2, 3},
          {SymInt(1), SymInt(group), width, SymInt(1)},
          {0, 3}};
}
NormDims dims_of_channels(const Tensor& input) {
  NormDims dims{.sizes = sym_geometry_of(input).sizes,
                .shared = {},
                .parameters = SymSizes(static_cast<size_t>(input.dim()), 1),
                .repeated = {}};
  dims.parameters[1] = input.sym_size(1);
  for (int64_t i = 0; i < input.dim(); ++i) {
    if (i != 1) dims.shared.push_back(i);
  }
  dims.repeated = dims.shared;
  return dims;
}

// The memory format of the result of a norm with channels.
MemoryFormat format_of(const Tensor& input) {
  const SymGeometry geometry = sym_geometry_of(input);
  return is_contiguous(geometry.sizes, geometry.strides, MemoryFormat::Contiguous)
             ? MemoryFormat::Contiguous
             : suggest_memory_format(input);
}

// Reshapes without adding guards on symbols: equal expressions have equal words.
Tensor seen(const Tensor& tensor, const SymSizes& sizes) {
  const SymSizes own = sym_geometry_of(tensor).sizes;
  const bool has_them = std::ranges::equal(
      own, sizes, [](const SymInt& a, const SymInt& b) { return a.word() == b.word(); });
  return has_them ? tensor : tensor.view(sizes);
}

// A parameter, or its gradient, reshaped to these sizes.
Tensor arranged(const Tensor& parameter, const SymSizes& sizes) {
  const bool has_them = static_cast<size_t>(parameter.dim()) == sizes.size();
  return has_them ? parameter : parameter.view(sizes);
}

// The dtype of saved statistics.
DType statistics_dtype(const Tensor& input, std::initializer_list<const Tensor*> parameters) {
  for (const Tensor* each : parameters) {
    if (each) return each->dtype();
  }
  return input.dtype();
}
const Tensor* given(const OptionalTensor& tensor) { return tensor ? &*tensor : nullptr; }

Tensor with_parameters(const Tensor& values, const NormDims& dims, const OptionalTensor& weight,
                       const OptionalTensor& bias) {
  Tensor result = values;
  if (weight) result = result.mul(arranged(widened(*weight), dims.parameters));
  if (bias) result = result.add(arranged(widened(*bias), dims.parameters));
  return result;
}

struct DecomposedNorm {
  Tensor values, mean, variance, reciprocal;
};
// For a wide input in the sizes of `dims`.
DecomposedNorm decompose_norm(const Tensor& x, const NormDims& dims, double eps) {
  const Tensor mean = x.mean(dims.shared, true);
  const Tensor centered = x.sub(mean);
  const Tensor variance = centered.mul(centered).mean(dims.shared, true);
  const Tensor reciprocal = variance.add(eps).rsqrt();
  return {centered.mul(reciprocal), mean, variance, reciprocal};
}

// The operands of a gradient, widened and in the sizes of `dims`.
struct Backward {
  Tensor gradient, values, reciprocal;
  OptionalTensor weight;
};

Backward read_backward(const Tensor& grad_out, const Tensor& input, const Tensor& mean,
                       const Tensor& reciprocal, const OptionalTensor& weight,
                       const NormDims& dims) {
  Backward call{.gradient = seen(widened(grad_out), dims.sizes),
                .values = seen(widened(input), dims.sizes).sub(mean).mul(reciprocal),
                .reciprocal = reciprocal,
                .weight = std::nullopt};
  if (weight) call.weight = arranged(widened(*weight), dims.parameters);
  return call;
}

// Wide, in the sizes of `dims`; those of parameters without the repeated dimensions.
Tensors decompose_backward(const Backward& call, const NormDims& dims, std::span<const bool> mask,
                           bool depends_on_input) {
  Tensors gradients;
  if (mask[0]) {
    Tensor moved = call.weight ? call.gradient.mul(*call.weight) : call.gradient;
    if (depends_on_input) {
      const Tensor slope = moved.mul(call.values).mean(dims.shared, true);
      moved = moved.sub(moved.mean(dims.shared, true)).sub(call.values.mul(slope));
    }
    std::get<0>(gradients) = moved.mul(call.reciprocal);
  }
  // A sum over an empty list would be over all dimensions.
  if (mask[1]) {
    const Tensor products = call.gradient.mul(call.values);
    std::get<1>(gradients) = dims.repeated.empty() ? products : products.sum(dims.repeated);
  }
  if (mask[2])
    std::get<2>(gradients) = dims.repeated.empty() ? clone(call.gradient, MemoryFormat::Contiguous)
                                                   : call.gradient.sum(dims.repeated);
  return gradients;
}

Tensor fit_parameter(const Tensor& gradient, const SymSizes& sizes, DType dtype) {
  return gradient.is_defined() ? in_dtype(arranged(gradient, sizes), dtype) : gradient;
}
Tensor fit_gradient(const Tensor& gradient, const SymSizes& sizes, DType dtype) {
  return gradient.is_defined() ? in_dtype(seen(gradient, sizes), dtype) : gradient;
}

SymSizes with_ones(SymSizes sizes, const Sizes& dims) {
  for (const int64_t dim : dims) sizes[static_cast<size_t>(dim)] = 1;
  return sizes;
}

// Moves the running statistics towards those of the batch.
void move_running(Tensor& running, const Tensor& found, double momentum) {
  running.copy_(widened(running).mul(1 - momentum).add(found.mul(momentum)));
}

// A norm with the statistics of the batch; running ones may be missing.
Tensors normalize_batch(const Tensor& input, const OptionalTensor& weight,
                        const OptionalTensor& bias, Tensor* running_mean, Tensor* running_var,
                        double momentum, double eps) {
  const NormDims dims = dims_of_channels(input);
  const SymSizes channels{input.sym_size(1)};
  const Tensor x = widened(in_format(input, format_of(input)));
  const DecomposedNorm normal = decompose_norm(x, dims, eps);
  if (running_mean) {
    SymInt count = 1;
    for (const int64_t dim : dims.shared) count = count * input.sym_size(dim);
    move_running(*running_mean, normal.mean.view(channels), momentum);
    move_running(*running_var,
                 normal.variance.view(channels).mul(Scalar(count)).div(Scalar(count - 1)),
                 momentum);
  }
  const DType dtype = statistics_dtype(input, {given(weight), given(bias), running_mean});
  return {in_dtype(with_parameters(normal.values, dims, weight, bias), input.dtype()),
          in_dtype(normal.mean.view(channels), dtype),
          in_dtype(normal.reciprocal.view(channels), dtype)};
}

Tensors normalize_by_running(const Tensor& input, const OptionalTensor& weight,
                             const OptionalTensor& bias, const Tensor& running_mean,
                             const Tensor& running_var, double eps) {
  const NormDims dims = dims_of_channels(input);
  const Tensor x = widened(in_format(input, format_of(input)));
  const Tensor mean = arranged(widened(running_mean), dims.parameters);
  const Tensor reciprocal = arranged(widened(running_var), dims.parameters).add(eps).rsqrt();
  const DType dtype = statistics_dtype(input, {given(weight), given(bias), &running_mean});
  const auto none = [&] { return input.new_empty({0}, dtype); };
  return {in_dtype(with_parameters(x.sub(mean).mul(reciprocal), dims, weight, bias), input.dtype()),
          none(), none()};
}

}  // namespace

Tensors layer_norm_decomposition(const Tensor& input, std::span<const SymInt> normalized_shape,
                                 const OptionalTensor& weight, const OptionalTensor& bias,
                                 double eps) {
  const NormDims dims = dims_of_layers(input, normalized_shape);
  const DecomposedNorm normal = decompose_norm(widened(dense(input)), dims, eps);
  const DType dtype = statistics_dtype(input, {given(weight), given(bias)});
  return {in_dtype(with_parameters(normal.values, dims, weight, bias), input.dtype()),
          in_dtype(normal.mean, dtype), in_dtype(normal.reciprocal, dtype)};
}

Tensors layer_norm_backward_decomposition(const Tensor& grad_out, const Tensor& input,
                                          std::span<const SymInt> normalized_shape,
                                          const Tensor& mean, const Tensor& rstd,
                                          const OptionalTensor& weight, const OptionalTensor& bias,
                                          std::span<const bool> output_mask) {
  const NormDims dims = dims_of_layers(input, normalized_shape);
  const Backward call =
      read_backward(dense(grad_out), dense(input), widened(mean), widened(rstd), weight, dims);
  const auto [of_input, of_weight, of_bias] = decompose_backward(call, dims, output_mask, true);
  return {fit_gradient(of_input, dims.sizes, input.dtype()),
          fit_parameter(of_weight, dims.parameters, weight ? weight->dtype() : input.dtype()),
          fit_parameter(of_bias, dims.parameters, bias ? bias->dtype() : input.dtype())};
}

Tensors group_norm_decomposition(const Tensor& input, const OptionalTensor& weight,
                                 const OptionalTensor& bias, const SymInt& N, const SymInt& C,
                                 const SymInt& HxW, int64_t group, double eps) {
  const NormDims dims = dims_of_groups(N, C, HxW, group);
  const DecomposedNorm normal = decompose_norm(seen(widened(dense(input)), dims.sizes), dims, eps);
  const DType dtype = statistics_dtype(input, {given(weight), given(bias)});
  const SymSizes groups{N, SymInt(group)};
  const Tensor result = in_dtype(with_parameters(normal.values, dims, weight, bias), input.dtype());
  return {in_format(seen(result, sym_geometry_of(input).sizes), format_of(input)),
          in_dtype(normal.mean.view(groups), dtype),
          in_dtype(normal.reciprocal.view(groups), dtype)};
}

Tensors group_norm_backward_decomposition(const Tensor& grad_out, const Tensor& input,
                                          const Tensor& mean, const Tensor& rstd,
                                          const OptionalTensor& weight, const SymInt& N,
                                          const SymInt& C, const SymInt& HxW, int64_t group,
                                          std::span<const bool> output_mask) {
  const NormDims dims = dims_of_groups(N, C, HxW, group);
  const SymSizes statistics = with_ones(dims.sizes, dims.shared);
  const Backward call =
      read_backward(dense(grad_out), dense(input), seen(widened(mean), statistics),
                    seen(widened(rstd), statistics), weight, dims);
  const auto [of_input, of_weight, of_bias] = decompose_backward(call, dims, output_mask, true);
  const DType dtype = weight ? weight->dtype() : input.dtype();
  Tensor moved = fit_gradient(of_input, sym_geometry_of(input).sizes, input.dtype());
  if (moved.is_defined()) moved = in_format(moved, format_of(input));
  return {moved, fit_parameter(of_weight, {C}, dtype), fit_parameter(of_bias, {C}, dtype)};
}

Tensors batch_norm_decomposition(const Tensor& input, const OptionalTensor& weight,
                                 const OptionalTensor& bias, Tensor& running_mean,
                                 Tensor& running_var, bool training, double momentum, double eps) {
  if (!training) return normalize_by_running(input, weight, bias, running_mean, running_var, eps);
  return normalize_batch(input, weight, bias, &running_mean, &running_var, momentum, eps);
}
Tensors batch_norm_without_statistics_decomposition(const Tensor& input,
                                                    const OptionalTensor& weight,
                                                    const OptionalTensor& bias, bool /*training*/,
                                                    double momentum, double eps) {
  return normalize_batch(input, weight, bias, nullptr, nullptr, momentum, eps);
}
Tensors batch_norm_no_training_decomposition(const Tensor& input, const OptionalTensor& weight,
                                             const OptionalTensor& bias, const Tensor& running_mean,
                                             const Tensor& running_var, double /*momentum*/,
                                             double eps) {
  return normalize_by_running(input, weight, bias, running_mean, running_var, eps);
}

Tensors batch_norm_backward_decomposition(const Tensor& grad_out, const Tensor& input,
                                          const OptionalTensor& weight,
                                          const OptionalTensor& running_mean,
                                          const OptionalTensor& running_var,
                                          const OptionalTensor& save_mean,
                                          const OptionalTensor& save_invstd, bool train, double eps,
                                          std::span<const bool> output_mask) {
  const NormDims dims = dims_of_channels(input);
  const MemoryFormat format = format_of(input);
  const Tensor mean = arranged(widened(train ? *save_mean : *running_mean), dims.parameters);
  const Tensor spread = arranged(widened(train ? *save_invstd : *running_var), dims.parameters);
  const Backward call = read_backward(in_format(grad_out, format), in_format(input, format), mean,
                                      train ? spread : spread.add(eps).rsqrt(), weight, dims);
  const auto [of_input, of_weight, of_bias] = decompose_backward(call, dims, output_mask, train);
  const SymSizes channels{input.sym_size(1)};
  const DType dtype = weight ? weight->dtype() : input.dtype();
  return {fit_gradient(of_input, dims.sizes, input.dtype()),
          fit_parameter(of_weight, channels, dtype), fit_parameter(of_bias, channels, dtype)};
}

}  // namespace opwright
