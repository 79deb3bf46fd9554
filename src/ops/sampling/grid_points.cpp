#include "opwright/ops/sampling/grid_points.h"

#include <string>

#include "opwright/error.h"
#include "opwright/ops/sampling/planes.h"
#include "opwright/tensor/view.h"

namespace opwright {

Sampling describe_sampling(const char* who, int64_t interpolation_mode, int64_t padding_mode,
                           bool align_corners, size_t ndim) {
  const bool is_image = ndim == 2;
  OPWRIGHT_CHECK_VALUE(interpolation_mode >= 0 && interpolation_mode <= (is_image ? 2 : 1), who,
                       ": interpolation_mode must be 0 (bilinear)",
                       is_image ? ", 1 (nearest) or 2 (bicubic)" : " or 1 (nearest)", ", got ",
                       interpolation_mode);
  OPWRIGHT_CHECK_VALUE(padding_mode >= 0 && padding_mode <= 2, who,
                       ": padding_mode must be 0 (zeros), 1 (border) or 2 (reflection), got ",
                       padding_mode);
  return {static_cast<SamplingMode>(interpolation_mode), static_cast<Outside>(padding_mode),
          align_corners};
}

SymSizes sampled_sizes(const char* who, const Tensor& input, const Tensor& grid, size_t ndim) {
  check_plane_dtype(who, "input", input.dtype());
  OPWRIGHT_CHECK_TYPE(input.dtype() == grid.dtype(), who, ": grid of ", grid.dtype(),
                      " must have the dtype of input, ", input.dtype());
  const SymSizes image = sym_geometry_of(input).sizes;
  const SymSizes points = sym_geometry_of(grid).sizes;
  const char* depth = ndim == 3 ? "depth, " : "";
  const std::string problem = concatenate(
      who, ": input [batch, channels, ", depth, "height, width] with elements and grid ",
      "[the same batch, ", depth, "rows, columns, ", ndim, "] are needed, got ", to_text(image),
      " and ", to_text(points));
  OPWRIGHT_CHECK_VALUE(image.size() == ndim + 2 && points.size() == ndim + 2, problem);
  check(image[0] == points[0], problem);
  check(points[ndim + 1] == static_cast<int64_t>(ndim), problem);
  for (size_t i = 1; i < image.size(); ++i) check(image[i] > 0, problem);
  SymSizes sizes{image[0], image[1]};
  for (size_t i = 1; i <= ndim; ++i) sizes.push_back(points[i]);
  return sizes;
}

}  // namespace opwright
