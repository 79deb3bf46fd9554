// Convolutions on devices as products of matrices: weights times the windows of the image.
//
// The image is the side that windows are taken of, with `places` for them on the other side. That
// is input and result of a convolution, and result and input of a transposed one. Weights are
// [channels of the places, channels of the image in a group, kernel...].
#pragma once

#include <cstdint>
#include <span>

#include "opwright/ops/convolution/convolution_shape.h"
#include "opwright/tensor.h"

namespace opwright {

// The places of an image, of `sizes`.
[[nodiscard]] Tensor convolve_on_device(const Tensor& image, const Tensor& weight,
                                        const ConvolutionShape<int64_t>& shape,
                                        std::span<const int64_t> sizes);
// The image, of `sizes`, that is the sum of what places give to their windows.
[[nodiscard]] Tensor convolve_back_on_device(const Tensor& places, const Tensor& weight,
                                             const ConvolutionShape<int64_t>& shape,
                                             std::span<const int64_t> sizes);
// The gradient of weights of `sizes`.
[[nodiscard]] Tensor find_weight_gradient_on_device(const Tensor& image, const Tensor& places,
                                                    const ConvolutionShape<int64_t>& shape,
                                                    std::span<const int64_t> sizes);

}  // namespace opwright
