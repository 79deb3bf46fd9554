// Gradients of arithmetic, selection and complex operators that do not fit on a line of
// functions.yaml.
#pragma once

#include <optional>
#include <string_view>

#include "opwright/scalar.h"
#include "opwright/tensor.h"

namespace opwright {

// ---- numbers
[[nodiscard]] Scalar conjugate(const Scalar& number);
[[nodiscard]] Scalar one_minus(const Scalar& number);
// grad * conj(factor), or grad itself if factor is 1.
[[nodiscard]] Tensor scaled(const Tensor& grad, const Scalar& factor);
// The parts of a complex tensor as new tensors; a real tensor is its own real part.
[[nodiscard]] Tensor real_part(const Tensor& tensor);
[[nodiscard]] Tensor imaginary_part(const Tensor& tensor);

// ---- division
[[nodiscard]] Tensor dividend_gradient(const Tensor& grad, const Tensor& divisor,
                                       const std::optional<std::string_view>& rounding_mode);
[[nodiscard]] Tensor dividend_gradient(const Tensor& grad, const Scalar& divisor,
                                       const std::optional<std::string_view>& rounding_mode);
[[nodiscard]] Tensor divisor_gradient(const Tensor& grad, const Tensor& self, const Tensor& divisor,
                                      const std::optional<std::string_view>& rounding_mode);

// ---- powers
[[nodiscard]] Tensor pow_base_gradient(const Tensor& grad, const Tensor& self,
                                       const Scalar& exponent);
[[nodiscard]] Tensor pow_base_gradient(const Tensor& grad, const Tensor& self,
                                       const Tensor& exponent);
[[nodiscard]] Tensor pow_exponent_gradient(const Tensor& grad, const Tensor& self,
                                           const Tensor& exponent, const Tensor& result);
[[nodiscard]] Tensor pow_exponent_gradient(const Tensor& grad, const Scalar& self,
                                           const Tensor& exponent, const Tensor& result);
[[nodiscard]] Tensor xlogy_gradient(const Tensor& grad, const Tensor& self, const Scalar& other);

// 1 / (x^2 + y^2); 0 at the origin, where atan2 has no derivative.
[[nodiscard]] Tensor inverse_square_radius(const Tensor& x, const Tensor& y);

// ---- choice
// Gradient of operand `of` of maximum or minimum: `loses` is where the other one is the result.
// Equal operands get half each.
[[nodiscard]] Tensor chosen_gradient(const Tensor& grad, const Tensor& are_equal,
                                     const Tensor& loses);
[[nodiscard]] Tensor clamp_gradient(const Tensor& grad, const Tensor& self,
                                    const std::optional<Scalar>& min,
                                    const std::optional<Scalar>& max);
[[nodiscard]] Tensor clamp_gradient(const Tensor& grad, const Tensor& self,
                                    const std::optional<Tensor>& min,
                                    const std::optional<Tensor>& max);
[[nodiscard]] Tensor clamp_min_gradient(const Tensor& grad, const Tensor& self,
                                        const std::optional<Tensor>& min,
                                        const std::optional<Tensor>& max);
[[nodiscard]] Tensor clamp_max_gradient(const Tensor& grad, const Tensor& self,
                                        const std::optional<Tensor>& min,
                                        const std::optional<Tensor>& max);

// ---- directions
[[nodiscard]] Tensor sgn_gradient(const Tensor& grad, const Tensor& self, const Tensor& result);

}  // namespace opwright
