// The gradients of group norm beyond those of its output, and of the backward operators of norms.
//
// Statistics that a backward operator takes are those of its input; what comes back to them comes
// back to the input.
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
// Which of the gradients of grad_out, input and weight are asked for.
struct WantedNormGradients {
  bool grad_out, input, weight;
};

// Of input, weight and bias, from the gradients of the output, the mean and rstd; undefined ones
// are not there.
[[nodiscard]] ThreeTensors group_norm_gradients(const ThreeTensors& grads, const Tensor& input,
                                                const std::optional<Tensor>& weight,
                                                const Tensor& mean, const Tensor& rstd,
                                                const SymInt& batch, const SymInt& channels,
                                                const SymInt& area, int64_t group,
                                                std::span<const bool> wanted);

// Of grad_out, input and weight; gradients of results that are not there are undefined.
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
