// Convolutions on devices as matrix products: weights times the windows of the image.
//
// The image is the side from which windows are taken; `places` holds one value per window on the
// other side. For a convolution these are input and result, for a transposed one result and input.
// Weights are [channels of the places, channels of the image in a group, kernel...].
#pragma once

#include <cstdint>
#include <span>

#include "opwright/ops/convolution/convolution_shape.h"
#include "opwright/tensor.h"

namespace opwright {

// Computes the places, of `sizes`, from an image.
[[nodiscard]] Tensor convolve_on_device(const Tensor& image, const Tensor& weight,
                                        const ConvolutionShape<int64_t>& shape,
                                        std::span<const int64_t> sizes);
// Computes the image, of `sizes`, as the sum of what the places contribute to their windows.
[[nodiscard]] Tensor convolve_back_on_device(const Tensor& places, const Tensor& weight,
                                             const ConvolutionShape<int64_t>& shape,
                                             std::span<const int64_t> sizes);
// Computes the gradient of weights of `sizes`.
[[nodiscard]] Tensor find_weight_gradient_on_device(const Tensor& image, const Tensor& places,
                                                    const ConvolutionShape<int64_t>& shape,
                                                    std::span<const int64_t> sizes);

}  // namespace opwright
