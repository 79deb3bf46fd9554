// vmap rules of norms. Layer norm: the batch is an additional leading dimension. Batch and group
// norm: the channels of all samples are placed side by side, so every sample has its own
// statistics.
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"
#include "opwright/ops/rule/decomposition.h"

namespace opwright {
namespace {

using Tensors = std::tuple<Tensor, Tensor, Tensor>;
using OptionalTensor = std::optional<Tensor>;

constexpr int64_t kNormChannels = 1;

Tensor as_dtype_of(const Tensor& tensor, const Tensor& like) {
  return tensor.dtype() == like.dtype() ? tensor : _to_copy(tensor, like.dtype());
}
Tensor images(const VmapInfo& info, size_t index, const Tensor& tensor) {
  return fold_batch(as_batch(info, index, tensor), kNormChannels);
}
// One number per channel.
OptionalTensor channels(const VmapInfo& info, size_t index, const OptionalTensor& tensor) {
  return fold_batch(as_batch(info, index, tensor), 0);
}
// For images, and two per-channel tensors if there are any.
Tensors unfold_channels(const VmapInfo& info, const Tensors& folded) {
  const auto& [of_images, first, second] = folded;
  return {unfold_batch(of_images, kNormChannels, info.batch_size),
          unfold_batch(first, 0, info.batch_size), unfold_batch(second, 0, info.batch_size)};
}

}  // namespace

// ---- layer norm ----
VmapResult<Tensors> native_layer_norm_vmap(const VmapInfo& info, const Tensor& input,
                                           std::span<const SymInt> normalized_shape,
                                           const OptionalTensor& weight, const OptionalTensor& bias,
                                           double eps) {
  const Tensor batch = as_batch(info, 0, input);
  const bool is_affine_shared = !is_batched(info, 2) && !is_batched(info, 3);
  if (is_affine_shared)
    return batched(native_layer_norm(batch, normalized_shape, weight, bias, eps));
  auto [result, mean, rstd] =
      native_layer_norm(widened(batch), normalized_shape, std::nullopt, std::nullopt, eps);
  const int64_t ndim = batch.dim() - 1;
  if (weight) result = result.mul(widened(with_sample_ndim(as_batch(info, 2, *weight), ndim)));
  if (bias) result = result.add(widened(with_sample_ndim(as_batch(info, 3, *bias), ndim)));
  const Tensor& parameter = weight ? *weight : *bias;  // statistics have its dtype
  return batched(Tensors(as_dtype_of(result, input), as_dtype_of(mean, parameter),
                         as_dtype_of(rstd, parameter)));
}

VmapResult<Tensors> native_layer_norm_backward_vmap(
    const VmapInfo& info, const Tensor& grad_out, const Tensor& input,
    std::span<const SymInt> normalized_shape, const Tensor& mean, const Tensor& rstd,
    const OptionalTensor& weight, const OptionalTensor& bias, std::span<const bool> output_mask) {
  const Tensor grads = as_batch(info, 0, grad_out);
  const Tensor batch = as_batch(info, 1, input);
  const Tensor means = as_batch(info, 3, mean);
  const Tensor reciprocals = as_batch(info, 4, rstd);
  const int64_t ndim = batch.dim() - 1;
  const Tensor wide_grads = widened(grads);
  const Tensor wide_batch = widened(batch);
  Tensors results;
  if (output_mask[0]) {
    constexpr bool kInputAlone[] = {true, false, false};
    const bool has_own_weights = weight && is_batched(info, 5);
    const auto of_input =
        has_own_weights
            ? native_layer_norm_backward(
                  wide_grads.mul(widened(with_sample_ndim(batch_first(info, 5, *weight), ndim))),
                  wide_batch, normalized_shape, means, reciprocals, std::nullopt, std::nullopt,
                  kInputAlone)
            : native_layer_norm_backward(grads, batch, normalized_shape, means, reciprocals, weight,
                                         std::nullopt, kInputAlone);
    std::get<0>(results) = as_dtype_of(std::get<0>(of_input), input);
  }
  // Parameters get the sum over the rows of their sample.
  std::vector<int64_t> rows;
  for (int64_t i = 1; i <= ndim - static_cast<int64_t>(normalized_shape.size()); ++i)
    rows.push_back(i);
  const auto sum_rows = [&](const Tensor& terms, const OptionalTensor& parameter) {
    const Tensor total = rows.empty() ? terms : sum(terms, rows);
    return as_dtype_of(total, parameter ? *parameter : input);
  };
  if (output_mask[1])
    std::get<1>(results) = sum_rows(wide_grads.mul(wide_batch.sub(means).mul(reciprocals)), weight);
  if (output_mask[2]) std::get<2>(results) = sum_rows(wide_grads, bias);
  return batched(results);
}

// ---- group norm ----
VmapResult<Tensors> native_group_norm_vmap(const VmapInfo& info, const Tensor& input,
                                           const OptionalTensor& weight, const OptionalTensor& bias,
                                           const SymInt& N, const SymInt& C, const SymInt& HxW,
                                           int64_t group, double eps) {
  if (!is_batched(info, 1) && !is_batched(info, 2)) {
    const Tensor folded = fold_batch(batch_first(info, 0, input), 0);
    return batched(unfold_batch(
        native_group_norm(folded, weight, bias, N * info.batch_size, C, HxW, group, eps), 0,
        info.batch_size));
  }
  const int64_t groups = group * info.batch_size.specialise();
  return batched(unfold_batch(
      native_group_norm(images(info, 0, input), channels(info, 1, weight), channels(info, 2, bias),
                        N, C * info.batch_size, HxW, groups, eps),
      kNormChannels, info.batch_size));
}
VmapResult<Tensors> native_group_norm_backward_vmap(
    const VmapInfo& info, const Tensor& grad_out, const Tensor& input, const Tensor& mean,
    const Tensor& rstd, const OptionalTensor& weight, const SymInt& N, const SymInt& C,
    const SymInt& HxW, int64_t group, std::span<const bool> output_mask) {
  const int64_t groups = group * info.batch_size.specialise();
  return batched(unfold_channels(
      info, native_group_norm_backward(images(info, 0, grad_out), images(info, 1, input),
                                       images(info, 2, mean), images(info, 3, rstd),
                                       channels(info, 4, weight), N, C * info.batch_size, HxW,
                                       groups, output_mask)));
}

// ---- batch norm ----
VmapResult<Tensors> batch_norm_vmap(const VmapInfo& info, const Tensor& input,
                                    const OptionalTensor& weight, const OptionalTensor& bias,
                                    Tensor& running_mean, Tensor& running_var, bool training,
                                    double momentum, double eps) {
  Tensor means = fold_batch(written_batch(info, 3, running_mean), 0).clone();
  Tensor variances = fold_batch(written_batch(info, 4, running_var), 0).clone();
  const Tensors results =
      _native_batch_norm_legit(images(info, 0, input), channels(info, 1, weight),
                               channels(info, 2, bias), means, variances, training, momentum, eps);
  write_out(info, 3, running_mean, unfold_batch(means, 0, info.batch_size));
  write_out(info, 4, running_var, unfold_batch(variances, 0, info.batch_size));
  return batched(unfold_channels(info, results));
}
VmapResult<Tensors> batch_norm_without_statistics_vmap(const VmapInfo& info, const Tensor& input,
                                                       const OptionalTensor& weight,
                                                       const OptionalTensor& bias, bool training,
                                                       double momentum, double eps) {
  return batched(unfold_channels(
      info, _native_batch_norm_legit(images(info, 0, input), channels(info, 1, weight),
                                     channels(info, 2, bias), training, momentum, eps)));
}
VmapResult<Tensors> batch_norm_no_training_vmap(const VmapInfo& info, const Tensor& input,
                                                const OptionalTensor& weight,
                                                const OptionalTensor& bias,
                                                const Tensor& running_mean,
                                                const Tensor& running_var, double momentum,
                                                double eps) {
  return batched(unfold_channels(
      info, _native_batch_norm_legit_no_training(
                images(info, 0, input), channels(info, 1, weight), channels(info, 2, bias),
                fold_batch(as_batch(info, 3, running_mean), 0),
                fold_batch(as_batch(info, 4, running_var), 0), momentum, eps)));
}
VmapResult<Tensors> native_batch_norm_backward_vmap(
    const VmapInfo& info, const Tensor& grad_out, const Tensor& input, const OptionalTensor& weight,
    const OptionalTensor& running_mean, const OptionalTensor& running_var,
    const OptionalTensor& save_mean, const OptionalTensor& save_invstd, bool train, double eps,
    std::span<const bool> output_mask) {
  return batched(unfold_channels(
      info, native_batch_norm_backward(images(info, 0, grad_out), images(info, 1, input),
                                       channels(info, 2, weight), channels(info, 3, running_mean),
                                       channels(info, 4, running_var), channels(info, 5, save_mean),
                                       channels(info, 6, save_invstd), train, eps, output_mask)));
}

}  // namespace opwright
