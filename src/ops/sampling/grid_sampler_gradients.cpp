#include "opwright/ops/sampling/grid_sampler_gradients.h"

#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// PyTorch's values.
constexpr int64_t kNearest = 1, kBicubic = 2;
constexpr int64_t kBorder = 1, kReflection = 2;

// Numbers that depend on the grid, and their derivative; `slope` is a constant.
struct Position {
  Tensor value;
  Tensor slope;
};

// Converts from [-1, 1] to elements.
Position scale_points(const Tensor& grid, const SymInt& size, bool align_corners) {
  const Scalar span = align_corners ? size - 1 : size;
  const Tensor scaled = grid.add(1).mul(span);
  return {(align_corners ? scaled : scaled.sub(1)).div(2), ones_like(grid).mul(span).div(2)};
}

// Reflects back and forth between the first and the last element, or their outer edges.
Position reflect_points(const Position& position, const SymInt& size, bool align_corners) {
  if (align_corners && guard_or_false(size == 1))
    return {zeros_like(position.value), zeros_like(position.slope)};
  const Scalar span = align_corners ? size - 1 : size;
  const double low = align_corners ? 0 : -0.5;
  const Tensor from_low = position.value.sub(low);
  const Tensor distance = from_low.abs();
  const Tensor rest = distance.fmod(span);
  const Tensor is_even = distance.div(span).floor().fmod(2).eq(0);
  const Tensor value = where(is_even, rest, rest.neg().add(span)).add(low);
  const Tensor goes_up = from_low.ge(0).eq(is_even);
  return {value, where(goes_up, position.slope, position.slope.neg())};
}

// At the border and beyond it the derivative is zero.
Position clip_points(const Position& position, const SymInt& size) {
  const Scalar last = size - 1;
  const Tensor is_inside = position.value.gt(0).logical_and(position.value.lt(last));
  return {position.value.clamp(Scalar(0), last), where(is_inside, position.slope, Scalar(0))};
}

Position bring_points_inside(const Position& position, const SymInt& size, int64_t padding_mode,
                             bool align_corners) {
  if (padding_mode == kBorder) return clip_points(position, size);
  if (padding_mode == kReflection)
    return clip_points(reflect_points(position, size, align_corners), size);
  return position;
}

// Elements of a dimension that contribute to a point.
struct Element {
  Tensor index;   // within the dimension
  Tensor weight;  // 0 outside
  Tensor slope;   // the weight's derivative with respect to the grid
};

Element make_element(const Tensor& position, const SymInt& size, const Tensor& weight,
                     const Tensor& slope) {
  const Tensor exists = position.ge(0).logical_and(position.lt(Scalar(size)));
  return {where(exists, position, Scalar(0)).to(DType::Int64), where(exists, weight, Scalar(0)),
          where(exists, slope, Scalar(0))};
}

// Cubic convolution with a = -0.75 of an element at `distance`: up to 1, or from 1 to 2.
struct Cubic {
  Tensor weight, slope;
};
Cubic near_cubic(const Tensor& distance) {
  const Tensor squared = distance.mul(distance);
  return {distance.mul(1.25).sub(2.25).mul(squared).add(1),
          squared.mul(3.75).sub(distance.mul(4.5))};
}
Cubic far_cubic(const Tensor& distance) {
  return {distance.mul(-0.75).add(3.75).mul(distance).sub(6).mul(distance).add(3),
          distance.mul(-2.25).add(7.5).mul(distance).sub(6)};
}

// How one dimension is sampled.
struct Axis {
  const SymInt& size;
  int64_t interpolation_mode;
  int64_t padding_mode;
  bool align_corners;

  [[nodiscard]] std::vector<Element> find_elements(const Tensor& grid) const {
    const Tensor constant = grid.detach();
    const Position unbounded = scale_points(constant, size, align_corners);
    // Adds zero, but connects the value to the grid for autograd.
    const auto follow = [&](const Position& position) {
      return position.value.add(grid.sub(constant).mul(position.slope));
    };
    if (interpolation_mode == kBicubic) return find_cubic(follow(unbounded), unbounded);
    const Position position = bring_points_inside(unbounded, size, padding_mode, align_corners);
    if (interpolation_mode == kNearest) {
      return {
          make_element(position.value.round(), size, ones_like(constant), zeros_like(constant))};
    }
    const Tensor before = position.value.floor();
    const Tensor beyond = follow(position).sub(before);
    return {make_element(before, size, beyond.neg().add(1), position.slope.neg()),
            make_element(before.add(1), size, beyond, position.slope)};
  }

 private:
  [[nodiscard]] std::vector<Element> find_cubic(const Tensor& followed,
                                                const Position& position) const {
    const Tensor before = position.value.floor();
    const Tensor beyond = followed.sub(before);
    const Tensor left = beyond.neg().add(1);
    const Cubic cubics[] = {far_cubic(beyond.add(1)), near_cubic(beyond), near_cubic(left),
                            far_cubic(left.add(1))};
    std::vector<Element> elements;
    for (int64_t i = 0; i < 4; ++i) {
      const Position at{before.add(i - 1), position.slope};
      const Cubic& cubic = cubics[i];
      const Tensor slope = cubic.slope.mul(i < 2 ? position.slope : position.slope.neg());
      elements.push_back(
          make_element(bring_points_inside(at, size, padding_mode, align_corners).value, size,
                       cubic.weight, slope));
    }
    return elements;
  }
};

// The points of all dimensions for the images of a batch, with positions as one dimension.
class Sampled {
 public:
  Sampled(const Tensor& grad, const Tensor& input, const Tensor& grid,
          std::vector<std::vector<Element>> axes)
      : grad_(grad.flatten(2)),
        input_(input.flatten(2)),
        image_sizes_(sym_geometry_of(input).sizes),
        grid_sizes_(sym_geometry_of(grid).sizes),
        axes_(std::move(axes)) {}

  [[nodiscard]] Tensor input_gradient() const {
    std::vector<Tensor> values;
    std::vector<Tensor> places;
    for_each_corner([&](const Corner& corner) {
      values.push_back(grad_.mul(flat(weight_of(corner, axes_.size())).unsqueeze(1)));
      places.push_back(places_of(corner));
    });
    return zeros_like(input_).scatter_add(2, cat(places, 2), cat(values, 2)).reshape(image_sizes_);
  }

  [[nodiscard]] Tensor grid_gradient() const {
    std::vector<Tensor> sums(axes_.size());  // the last dimension first, as in the grid
    for_each_corner([&](const Corner& corner) {
      const Tensor product = grad_.mul(input_.gather(2, places_of(corner))).sum({1});
      for (size_t axis = 0; axis < axes_.size(); ++axis) {
        const Tensor part = product.mul(flat(weight_of(corner, axis)));
        Tensor& sum = sums[axes_.size() - 1 - axis];
        sum = sum.is_defined() ? sum.add(part) : part;
      }
    });
    return stack(sums, -1).reshape(grid_sizes_);
  }

 private:
  using Corner = std::vector<const Element*>;  // one of each axis

  template <class Body>
  void for_each_corner(const Body& body) const {
    Corner corner(axes_.size());
    const auto visit = [&](const auto& self, size_t axis) -> void {
      if (axis == axes_.size()) return body(corner);
      for (const Element& element : axes_[axis]) {
        corner[axis] = &element;
        self(self, axis + 1);
      }
    };
    visit(visit, 0);
  }

  static Tensor flat(const Tensor& tensor) { return tensor.flatten(1); }
  // The product of the weights, with the slope of one axis instead if there is such an axis.
  static Tensor weight_of(const Corner& corner, size_t sloping) {
    Tensor product;
    for (size_t axis = 0; axis < corner.size(); ++axis) {
      const Tensor& factor = axis == sloping ? corner[axis]->slope : corner[axis]->weight;
      product = axis == 0 ? factor : product.mul(factor);
    }
    return product;
  }
  // The position of each point in its image, for all channels.
  [[nodiscard]] Tensor places_of(const Corner& corner) const {
    Tensor place = corner[0]->index;
    for (size_t axis = 1; axis < corner.size(); ++axis)
      place = place.mul(Scalar(image_sizes_[axis + 2])).add(corner[axis]->index);
    return flat(place).unsqueeze(1).expand(sym_geometry_of(grad_).sizes);
  }

  Tensor grad_, input_;
  SymSizes image_sizes_;
  SymSizes grid_sizes_;
  std::vector<std::vector<Element>> axes_;
};

Tensor as_computed(const Tensor& tensor) {
  const bool is_half = tensor.dtype() == DType::Float16 || tensor.dtype() == DType::BFloat16;
  return is_half ? tensor.to(DType::Float32) : tensor;
}

}  // namespace

std::tuple<Tensor, Tensor> grid_sampler_gradients(const Tensor& grad, const Tensor& input,
                                                  const Tensor& grid, int64_t interpolation_mode,
                                                  int64_t padding_mode, bool align_corners,
                                                  bool needs_input, bool needs_grid) {
  const std::array mask{needs_input, needs_grid};
  return input.dim() == 4 ? grid_sampler_2d_backward(grad, input, grid, interpolation_mode,
                                                     padding_mode, align_corners, mask)
                          : grid_sampler_3d_backward(grad, input, grid, interpolation_mode,
                                                     padding_mode, align_corners, mask);
}

std::tuple<Tensor, Tensor> grid_sampler_backward_decomposition(
    const Tensor& grad_output, const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
    int64_t padding_mode, bool align_corners, std::span<const bool> output_mask) {
  const Tensor positions = as_computed(grid);
  const int64_t ndim = input.dim() - 2;
  std::vector<std::vector<Element>> axes;
  for (int64_t i = 0; i < ndim; ++i) {
    const SymInt size = input.sym_size(i + 2);
    const Axis axis{size, interpolation_mode, padding_mode, align_corners};
    axes.push_back(axis.find_elements(positions.select(-1, ndim - 1 - i)));
  }
  const Sampled sampled(as_computed(grad_output), as_computed(input), grid, std::move(axes));
  std::tuple<Tensor, Tensor> gradients;
  if (output_mask[0]) std::get<0>(gradients) = sampled.input_gradient().to(input.dtype());
  // PyTorch computes the gradient of the grid even if it is not asked for.
  std::get<1>(gradients) = interpolation_mode == kNearest
                               ? grid.new_zeros(sym_geometry_of(grid).sizes)
                               : sampled.grid_gradient().to(grid.dtype());
  return gradients;
}

}  // namespace opwright
