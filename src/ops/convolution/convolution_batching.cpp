// vmap rules of convolutions: the batch merges with the images' batch; with a weight per sample,
// its channels become groups of one convolution.
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

constexpr int64_t kImageChannels = 1;  // of an image; of a weight the outputs are at 0

// A number per channel and sample, for the images of a batch: [B, 1, C, 1, ...].
Tensor as_channels(const Tensor& batch, int64_t ndim) {
  Tensor numbers = batch.unsqueeze(1);
  while (numbers.dim() < ndim) numbers = numbers.unsqueeze(-1);
  return numbers;
}

}  // namespace

VmapResult<Tensor> convolution_vmap(const VmapInfo& info, const Tensor& input, const Tensor& weight,
                                    const std::optional<Tensor>& bias,
                                    std::span<const SymInt> stride, std::span<const SymInt> padding,
                                    std::span<const SymInt> dilation, bool transposed,
                                    std::span<const SymInt> output_padding, const SymInt& groups) {
  const auto run = [&](const Tensor& x, const Tensor& w, const std::optional<Tensor>& b,
                       const SymInt& count) {
    return convolution(x, w, b, stride, padding, dilation, transposed, output_padding, count);
  };
  const bool is_bias_batched = is_batched(info, 2);
  const std::optional<Tensor> inner_bias = is_bias_batched ? std::nullopt : bias;
  Tensor images;
  if (!is_batched(info, 0) && !is_batched(info, 1)) {
    images = run(input, weight, inner_bias, groups).unsqueeze(0);
  } else if (!is_batched(info, 1)) {
    const Tensor folded = fold_batch(batch_first(info, 0, input), 0);
    images = unfold_batch(run(folded, weight, inner_bias, groups), 0, info.batch_size);
  } else {
    const Tensor folded = fold_batch(as_batch(info, 0, input), kImageChannels);
    const Tensor weights = fold_batch(batch_first(info, 1, weight), 0);
    const std::optional<Tensor> biases =
        inner_bias ? fold_batch(std::optional(as_batch(info, 2, *inner_bias)), 0) : std::nullopt;
    images = unfold_batch(run(folded, weights, biases, groups * info.batch_size), kImageChannels,
                          info.batch_size);
  }
  if (is_bias_batched) images = images.add(as_channels(batch_first(info, 2, *bias), images.dim()));
  return batched(images);
}

VmapResult<std::tuple<Tensor, Tensor, Tensor>> convolution_backward_vmap(
    const VmapInfo& info, const Tensor& grad_output, const Tensor& input, const Tensor& weight,
    std::optional<std::span<const SymInt>> bias_sizes, std::span<const SymInt> stride,
    std::span<const SymInt> padding, std::span<const SymInt> dilation, bool transposed,
    std::span<const SymInt> output_padding, const SymInt& groups,
    std::span<const bool> output_mask) {
  const Tensor grads = fold_batch(as_batch(info, 0, grad_output), kImageChannels);
  const Tensor images = fold_batch(as_batch(info, 1, input), kImageChannels);
  const Tensor weights = fold_batch(as_batch(info, 2, weight), 0);
  SymSizes biases;
  if (bias_sizes)
    for (const SymInt& size : *bias_sizes) biases.push_back(size * info.batch_size);
  const OptionalSymIntList bias_list =
      bias_sizes ? OptionalSymIntList(biases) : OptionalSymIntList(std::nullopt);
  const auto [image_grads, weight_grads, bias_grads] =
      convolution_backward(grads, images, weights, bias_list, stride, padding, dilation, transposed,
                           output_padding, groups * info.batch_size, output_mask);
  return batched(std::tuple(unfold_batch(image_grads, kImageChannels, info.batch_size),
                            unfold_batch(weight_grads, 0, info.batch_size),
                            unfold_batch(bias_grads, 0, info.batch_size)));
}

}  // namespace opwright
