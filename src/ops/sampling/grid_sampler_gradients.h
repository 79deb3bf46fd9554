// Gradients of grid_sampler_2d and grid_sampler_3d, as calls of other operators.
#pragma once

#include <cstdint>
#include <tuple>

#include "opwright/tensor.h"

namespace opwright {

// Gradients of input and grid; that of input is undefined unless requested.
[[nodiscard]] std::tuple<Tensor, Tensor> grid_sampler_gradients(
    const Tensor& grad, const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
    int64_t padding_mode, bool align_corners, bool needs_input, bool needs_grid);

}  // namespace opwright
