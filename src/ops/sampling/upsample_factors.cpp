// upsample_*.vec: the size of the result, given directly or as a factor of the input size.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/sampling/linear_map.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

struct Target {
  SymSizes sizes;
  std::array<std::optional<double>, kPlaneDims> scales;
};

// floor(size * factor). Keeps a symbol if the factor is a fraction of small numbers.
SymInt scale_size(const SymInt& size, double factor) {
  constexpr int64_t kDenominator = 1024;
  const double numerator = factor * kDenominator;
  if (size.is_symbolic() && std::floor(numerator) == numerator && std::abs(numerator) < 1e9)
    return size * static_cast<int64_t>(numerator) / kDenominator;
  const double scaled = static_cast<double>(size.specialise()) * factor;
  return static_cast<int64_t>(std::clamp(scaled, -1.0, 9e18));
}

Target find_target(const char* who, const Tensor& input,
                   std::optional<std::span<const SymInt>> output_size,
                   std::optional<std::span<const double>> scale_factors, size_t ndim) {
  OPWRIGHT_CHECK(output_size.has_value() != scale_factors.has_value(), who,
                 ": give either output_size or scale_factors");
  OPWRIGHT_CHECK(input.dim() == static_cast<int64_t>(ndim) + 2, who, ": the input must have ",
                 ndim + 2, " dimensions, got ", input.dim());
  const size_t given = output_size ? output_size->size() : scale_factors->size();
  OPWRIGHT_CHECK(given == ndim, who, ": ", output_size ? "output_size" : "scale_factors",
                 " must hold ", ndim, " numbers, got ", given);
  Target target;
  if (output_size) {
    target.sizes = SymSizes(*output_size);
    return target;
  }
  for (size_t i = 0; i < ndim; ++i) {
    const double factor = (*scale_factors)[i];
    OPWRIGHT_CHECK(std::isfinite(factor), who, ": scale_factors must be finite, got ", factor);
    target.sizes.push_back(scale_size(input.sym_size(static_cast<int64_t>(i) + 2), factor));
    target.scales[i] = factor;
  }
  return target;
}

}  // namespace

Tensor upsample_nearest1d_factors_composite(const Tensor& input,
                                            std::optional<std::span<const SymInt>> output_size,
                                            std::optional<std::span<const double>> scale_factors) {
  const Target target = find_target("upsample_nearest1d", input, output_size, scale_factors, 1);
  return upsample_nearest1d(input, target.sizes, target.scales[0]);
}

Tensor upsample_nearest2d_factors_composite(const Tensor& input,
                                            std::optional<std::span<const SymInt>> output_size,
                                            std::optional<std::span<const double>> scale_factors) {
  const Target target = find_target("upsample_nearest2d", input, output_size, scale_factors, 2);
  return upsample_nearest2d(input, target.sizes, target.scales[0], target.scales[1]);
}

Tensor upsample_nearest3d_factors_composite(const Tensor& input,
                                            std::optional<std::span<const SymInt>> output_size,
                                            std::optional<std::span<const double>> scale_factors) {
  const Target target = find_target("upsample_nearest3d", input, output_size, scale_factors, 3);
  return upsample_nearest3d(input, target.sizes, target.scales[0], target.scales[1],
                            target.scales[2]);
}

Tensor upsample_nearest_exact1d_factors_composite(
    const Tensor& input, std::optional<std::span<const SymInt>> output_size,
    std::optional<std::span<const double>> scale_factors) {
  const Target target =
      find_target("_upsample_nearest_exact1d", input, output_size, scale_factors, 1);
  return _upsample_nearest_exact1d(input, target.sizes, target.scales[0]);
}

Tensor upsample_nearest_exact2d_factors_composite(
    const Tensor& input, std::optional<std::span<const SymInt>> output_size,
    std::optional<std::span<const double>> scale_factors) {
  const Target target =
      find_target("_upsample_nearest_exact2d", input, output_size, scale_factors, 2);
  return _upsample_nearest_exact2d(input, target.sizes, target.scales[0], target.scales[1]);
}

Tensor upsample_nearest_exact3d_factors_composite(
    const Tensor& input, std::optional<std::span<const SymInt>> output_size,
    std::optional<std::span<const double>> scale_factors) {
  const Target target =
      find_target("_upsample_nearest_exact3d", input, output_size, scale_factors, 3);
  return _upsample_nearest_exact3d(input, target.sizes, target.scales[0], target.scales[1],
                                   target.scales[2]);
}

Tensor upsample_linear1d_factors_composite(const Tensor& input,
                                           std::optional<std::span<const SymInt>> output_size,
                                           bool align_corners,
                                           std::optional<std::span<const double>> scale_factors) {
  const Target target = find_target("upsample_linear1d", input, output_size, scale_factors, 1);
  return upsample_linear1d(input, target.sizes, align_corners, target.scales[0]);
}

Tensor upsample_bilinear2d_factors_composite(const Tensor& input,
                                             std::optional<std::span<const SymInt>> output_size,
                                             bool align_corners,
                                             std::optional<std::span<const double>> scale_factors) {
  const Target target = find_target("upsample_bilinear2d", input, output_size, scale_factors, 2);
  return upsample_bilinear2d(input, target.sizes, align_corners, target.scales[0],
                             target.scales[1]);
}

Tensor upsample_trilinear3d_factors_composite(
    const Tensor& input, std::optional<std::span<const SymInt>> output_size, bool align_corners,
    std::optional<std::span<const double>> scale_factors) {
  const Target target = find_target("upsample_trilinear3d", input, output_size, scale_factors, 3);
  return upsample_trilinear3d(input, target.sizes, align_corners, target.scales[0],
                              target.scales[1], target.scales[2]);
}

Tensor upsample_bicubic2d_factors_composite(const Tensor& input,
                                            std::optional<std::span<const SymInt>> output_size,
                                            bool align_corners,
                                            std::optional<std::span<const double>> scale_factors) {
  const Target target = find_target("upsample_bicubic2d", input, output_size, scale_factors, 2);
  return upsample_bicubic2d(input, target.sizes, align_corners, target.scales[0], target.scales[1]);
}

Tensor upsample_bilinear2d_aa_factors_composite(
    const Tensor& input, std::optional<std::span<const SymInt>> output_size, bool align_corners,
    std::optional<std::span<const double>> scale_factors) {
  const Target target =
      find_target("_upsample_bilinear2d_aa", input, output_size, scale_factors, 2);
  return _upsample_bilinear2d_aa(input, target.sizes, align_corners, target.scales[0],
                                 target.scales[1]);
}

Tensor upsample_bicubic2d_aa_factors_composite(
    const Tensor& input, std::optional<std::span<const SymInt>> output_size, bool align_corners,
    std::optional<std::span<const double>> scale_factors) {
  const Target target = find_target("_upsample_bicubic2d_aa", input, output_size, scale_factors, 2);
  return _upsample_bicubic2d_aa(input, target.sizes, align_corners, target.scales[0],
                                target.scales[1]);
}

Tensor upsample_lanczos2d_aa_factors_composite(
    const Tensor& input, std::optional<std::span<const SymInt>> output_size, bool align_corners,
    std::optional<std::span<const double>> scale_factors) {
  const Target target = find_target("_upsample_lanczos2d_aa", input, output_size, scale_factors, 2);
  return _upsample_lanczos2d_aa(input, target.sizes, align_corners, target.scales[0],
                                target.scales[1]);
}

}  // namespace opwright
