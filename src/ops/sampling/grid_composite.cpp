// grid_sampler by the number of dimensions, and affine_grid_generator, as composites.
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

constexpr const char* kAffineGrid = "affine_grid_generator";

// The centers of `count` elements between -1 and 1, or of the outer elements at -1 and 1.
Tensor find_centers(const Tensor& like, const SymInt& count, bool align_corners) {
  const Tensor steps = arange(Scalar(0), Scalar(count), like.dtype(), std::nullopt, like.device());
  if (!align_corners) return steps.mul(2).add(1).div(Scalar(count)).sub(1);
  if (guard_or_false(count == 1)) return zeros_like(steps);
  return steps.mul(2).div(Scalar(count - 1)).sub(1);
}

// The points of an image or volume in homogeneous coordinates, x first: [1, points, ndim + 1].
Tensor make_base_grid(const Tensor& like, std::span<const SymInt> planes, bool align_corners) {
  const size_t ndim = planes.size();
  const SymSizes sizes(planes);
  std::vector<Tensor> parts(ndim + 1);
  for (size_t i = 0; i < ndim; ++i) {
    Tensor centers = find_centers(like, planes[i], align_corners);
    for (size_t k = i + 1; k < ndim; ++k) centers = centers.unsqueeze(-1);
    parts[ndim - 1 - i] = centers.expand(sizes);
  }
  parts[ndim] = like.new_ones(sizes);
  return stack(parts, -1).flatten(0, static_cast<int64_t>(ndim) - 1).unsqueeze(0);
}

// The number of plane dimensions that `size` describes.
size_t plane_ndim(std::span<const SymInt> size) {
  OPWRIGHT_CHECK(size.size() == 4 || size.size() == 5, kAffineGrid,
                 ": size must be [batch, channels, height, width], or have a depth before the ",
                 "height, got ", to_text(size));
  for (const SymInt& each : size) {
    check(each > 0, concatenate(kAffineGrid, ": size must be positive, got ", to_text(size)));
  }
  return size.size() - 2;
}

}  // namespace

Tensor grid_sampler_composite(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                              int64_t padding_mode, bool align_corners) {
  OPWRIGHT_CHECK(input.dim() == 4 || input.dim() == 5,
                 "grid_sampler: input must be [batch, channels, height, width], or have a depth "
                 "before the height, got ",
                 input);
  return input.dim() == 4
             ? grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners)
             : grid_sampler_3d(input, grid, interpolation_mode, padding_mode, align_corners);
}

Tensor affine_grid_generator_composite(const Tensor& theta, std::span<const SymInt> size,
                                       bool align_corners) {
  const size_t ndim = plane_ndim(size);
  const auto rows = static_cast<int64_t>(ndim);
  OPWRIGHT_CHECK(theta.dim() == 3, kAffineGrid, ": theta must be [batch, ", rows, ", ", rows + 1,
                 "], got ", theta);
  check(sym_and(theta.sym_size(0) == size[0],
                sym_and(theta.sym_size(1) == rows, theta.sym_size(2) == rows + 1)),
        concatenate(kAffineGrid, ": theta must be [", size[0], ", ", rows, ", ", rows + 1,
                    "], got ", theta));
  const Tensor base = make_base_grid(theta, size.last(ndim), align_corners);
  SymSizes sizes{size[0]};
  for (const SymInt& each : size.last(ndim)) sizes.push_back(each);
  sizes.push_back(rows);
  return matmul(base, theta.transpose(1, 2)).reshape(sizes);
}

Tensor affine_grid_generator_backward_composite(const Tensor& grad, std::span<const SymInt> size,
                                                bool align_corners) {
  const size_t ndim = plane_ndim(size);
  const Tensor base = make_base_grid(grad, size.last(ndim), align_corners);
  return matmul(base.transpose(1, 2), grad.flatten(1, static_cast<int64_t>(ndim))).transpose(1, 2);
}

}  // namespace opwright
