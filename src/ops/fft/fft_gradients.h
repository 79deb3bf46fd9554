// Gradients of transforms between real and complex tensors.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

// `sizes` are those of the real tensor.
[[nodiscard]] Tensor fft_r2c_gradient(const Tensor& grad, std::span<const int64_t> dim,
                                      int64_t normalization, bool onesided,
                                      std::span<const SymInt> sizes);
[[nodiscard]] Tensor fft_c2r_gradient(const Tensor& grad, std::span<const int64_t> dim,
                                      int64_t normalization);

}  // namespace opwright
