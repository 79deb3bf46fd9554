// Gradients of group norm's statistics, and of the backward operators of norms.
//
// The statistics passed to a backward operator come from its input, so their gradients flow to the
// input.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <tuple>

#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

// An output_mask.
[[nodiscard]] inline std::array<bool, 3> mask_of(bool first, bool second, bool third) {
  return {first, second, third};
}

using ThreeTensors = std::tuple<Tensor, Tensor, Tensor>;
// Which of the gradients of grad_out, input and weight are requested.
struct WantedNormGradients {
  bool grad_out, input, weight;
};

// Gradients of input, weight and bias, from the gradients of the output, the mean and rstd; missing
// ones are undefined.
[[nodiscard]] ThreeTensors group_norm_gradients(const ThreeTensors& grads, const Tensor& input,
                                                const std::optional<Tensor>& weight,
                                                const Tensor& mean, const Tensor& rstd,
                                                const SymInt& batch, const SymInt& channels,
                                                const SymInt& area, int64_t group,
                                                std::span<const bool> wanted);

// Gradients of grad_out, input and weight; missing gradients of results are undefined.
[[nodiscard]] ThreeTensors layer_norm_backward_gradients(
    const ThreeTensors& grads, const Tensor& grad_out, const Tensor& input,
    std::span<const SymInt> normalized_shape, const Tensor& rstd,
    const std::optional<Tensor>& weight, const WantedNormGradients& wanted);
[[nodiscard]] ThreeTensors group_norm_backward_gradients(
    const ThreeTensors& grads, const Tensor& grad_out, const Tensor& input, const Tensor& rstd,
    const std::optional<Tensor>& weight, const SymInt& batch, const SymInt& channels,
    const SymInt& area, int64_t group, const WantedNormGradients& wanted);
[[nodiscard]] ThreeTensors batch_norm_backward_gradients(
    const ThreeTensors& grads, const Tensor& grad_out, const Tensor& input,
    const std::optional<Tensor>& weight, const std::optional<Tensor>& running_mean,
    const std::optional<Tensor>& running_var, const std::optional<Tensor>& save_invstd, bool train,
    double eps, const WantedNormGradients& wanted);

}  // namespace opwright
