// Integrals and derivatives of samples, as composites: trapezoid, cumulative_trapezoid, gradient.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/ops/rule/decomposition.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// The elements of a dimension without `begin` at its start and `end` at its end.
Tensor without_ends(const Tensor& tensor, int64_t dim, int64_t begin, int64_t end) {
  return tensor.narrow(dim, begin, tensor.sym_size(dim) - SymInt(begin + end));
}

struct Samples {
  Tensor y;
  int64_t dim;
};

Samples read_samples(const char* who, const Tensor& y, int64_t dim) {
  OPWRIGHT_CHECK(y.dim() > 0, who, ": y must have at least one dimension");
  return {y, static_cast<int64_t>(wrap_dim(dim, static_cast<size_t>(y.dim()), who))};
}

// The sums of neighbours, which have the width of the step between them.
Tensor add_neighbours(const Samples& samples) {
  return without_ends(samples.y, samples.dim, 1, 0).add(without_ends(samples.y, samples.dim, 0, 1));
}

// The distances of neighbours in x, with as many dimensions as y.
Tensor find_steps(const char* who, const Samples& samples, const Tensor& x) {
  if (x.dim() == 1) {
    OPWRIGHT_DEMAND(x.sym_size(0) == samples.y.sym_size(samples.dim), who,
                    ": x must have an element for each sample, ", samples.y.sym_size(samples.dim),
                    ", got ", x.sym_size(0));
    SymSizes sizes(static_cast<size_t>(samples.y.dim()), SymInt(1));
    const Tensor steps = diff(x);
    sizes[static_cast<size_t>(samples.dim)] = steps.sym_size(0);
    return steps.reshape(sizes);
  }
  // Missing dimensions come first.
  SymSizes sizes = sym_geometry_of(x).sizes;
  while (sizes.size() < static_cast<size_t>(samples.y.dim())) sizes.insert(sizes.begin(), 1);
  const int64_t from_end = samples.dim - samples.y.dim();
  return diff(x.reshape(sizes), 1, from_end);
}

bool has_no_samples(const Samples& samples) {
  return guard_or_false(samples.y.sym_size(samples.dim) == 0);
}

Tensor integrate(const Samples& samples, const Tensor& areas) {
  return areas.sum({samples.dim}).div(2);
}

// ---- gradient
// ------------------------------------------------------------------------------------

struct GradientCall {
  std::vector<int64_t> dims;
  int64_t edge_order;
};

GradientCall read_gradient(const Tensor& self, std::span<const int64_t> dims, int64_t edge_order,
                           size_t num_spacings) {
  OPWRIGHT_CHECK(
      self.dtype() != DType::Bool,
      "gradient: self must not be a tensor of bools, which have no difference; convert it");
  OPWRIGHT_CHECK(edge_order == 1 || edge_order == 2, "gradient: edge_order must be 1 or 2, got ",
                 edge_order);
  GradientCall call{.dims = {}, .edge_order = edge_order};
  for (const int64_t dim : dims) {
    const auto along =
        static_cast<int64_t>(wrap_dim(dim, static_cast<size_t>(self.dim()), "gradient"));
    for (const int64_t earlier : call.dims)
      OPWRIGHT_CHECK(earlier != along, "gradient: dimension ", along, " appears twice in dim");
    call.dims.push_back(along);
    OPWRIGHT_DEMAND(self.sym_size(along) >= SymInt(edge_order + 1),
                    "gradient: each dimension must have at least edge_order + 1 = ", edge_order + 1,
                    " elements, dimension ", along, " has ", self.sym_size(along));
  }
  OPWRIGHT_CHECK(num_spacings == call.dims.size(),
                 "gradient: spacing must have an element for each of the ", call.dims.size(),
                 " dimensions, got ", num_spacings);
  return call;
}

std::vector<int64_t> dims_or_all(const Tensor& self, const std::optional<int64_t>& dim) {
  if (dim) return {*dim};
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < self.dim(); ++i) dims.push_back(i);
  return dims;
}

// The element at `place` from the start or, if negative, from the end, as a dimension of size 1.
Tensor element_at(const Tensor& tensor, int64_t dim, int64_t place) {
  const SymInt start = place < 0 ? tensor.sym_size(dim) + place : SymInt(place);
  return tensor.narrow(dim, start, 1);
}

// Derivatives by coordinates: a quadratic through three neighbours inside, and at the edges a line
// or a quadratic.
Tensor differentiate_by_steps(const Tensor& self, int64_t dim, int64_t edge_order,
                              const Tensor& steps) {
  const Tensor slopes = diff(self, 1, dim).div(steps);
  const Tensor first = element_at(slopes, dim, 0);
  const Tensor last = element_at(slopes, dim, -1);
  const Tensor before = without_ends(steps, dim, 0, 1);
  const Tensor after = without_ends(steps, dim, 1, 0);
  const Tensor of_before = without_ends(slopes, dim, 0, 1);
  const Tensor of_after = without_ends(slopes, dim, 1, 0);
  const Tensor inside = of_before.mul(after).add(of_after.mul(before)).div(before.add(after));
  if (edge_order == 1) return cat(std::vector<Tensor>{first, inside, last}, dim);
  // Half the second derivative at an edge, times the width of its step.
  const auto bend = [&](int64_t place) {
    const Tensor change = element_at(of_after, dim, place).sub(element_at(of_before, dim, place));
    return change.div(element_at(before, dim, place).add(element_at(after, dim, place)));
  };
  const Tensor at_start = first.sub(bend(0).mul(element_at(steps, dim, 0)));
  const Tensor at_end = last.add(bend(-1).mul(element_at(steps, dim, -1)));
  return cat(std::vector<Tensor>{at_start, inside, at_end}, dim);
}

Tensor reshape_steps(const Tensor& steps, int64_t dim, int64_t ndim) {
  SymSizes sizes(static_cast<size_t>(ndim), SymInt(1));
  sizes[static_cast<size_t>(dim)] = steps.sym_size(0);
  return steps.reshape(sizes);
}

std::vector<Tensor> differentiate(const Tensor& self, std::span<const Scalar> spacing,
                                  std::span<const int64_t> dims, int64_t edge_order) {
  const GradientCall call = read_gradient(self, dims, edge_order, spacing.size());
  std::vector<Tensor> results;
  for (size_t i = 0; i < call.dims.size(); ++i) {
    const int64_t dim = call.dims[i];
    const Tensor steps =
        full({self.sym_size(dim) - 1}, Scalar(1), DType::Float32, std::nullopt, self.device());
    const Tensor of_one = differentiate_by_steps(widened(self), dim, edge_order,
                                                 reshape_steps(steps, dim, self.dim()));
    const Tensor result = of_one.div(spacing[i]);
    results.push_back(is_half(self.dtype()) ? result.to(self.dtype()) : result);
  }
  return results;
}

std::vector<Tensor> differentiate(const Tensor& self, std::span<const Tensor> spacing,
                                  std::span<const int64_t> dims, int64_t edge_order) {
  const GradientCall call = read_gradient(self, dims, edge_order, spacing.size());
  std::vector<Tensor> results;
  for (size_t i = 0; i < call.dims.size(); ++i) {
    const int64_t dim = call.dims[i];
    OPWRIGHT_CHECK(spacing[i].dim() == 1,
                   "gradient: coordinates in spacing must have one dimension, got ", spacing[i]);
    OPWRIGHT_DEMAND(spacing[i].sym_size(0) == self.sym_size(dim),
                    "gradient: spacing must have a coordinate for each of the ", self.sym_size(dim),
                    " elements of dimension ", dim, ", got ", spacing[i].sym_size(0));
    const bool is_widened = is_half(self.dtype()) && spacing[i].dtype() == self.dtype();
    const Tensor places = is_widened ? widened(spacing[i]) : spacing[i];
    const Tensor steps = reshape_steps(diff(places), dim, self.dim());
    const Tensor result =
        differentiate_by_steps(is_widened ? widened(self) : self, dim, edge_order, steps);
    results.push_back(is_widened ? result.to(self.dtype()) : result);
  }
  return results;
}

}  // namespace

Tensor trapezoid_x_composite(const Tensor& y, const Tensor& x, int64_t dim) {
  const Samples samples = read_samples("trapezoid", y, dim);
  if (has_no_samples(samples)) return y.sum({samples.dim});
  const Tensor steps = find_steps("trapezoid", samples, x);
  return integrate(samples, add_neighbours(samples).mul(steps));
}
Tensor trapezoid_dx_composite(const Tensor& y, const Scalar& dx, int64_t dim) {
  const Samples samples = read_samples("trapezoid", y, dim);
  if (has_no_samples(samples)) return y.sum({samples.dim});
  return integrate(samples, add_neighbours(samples).mul(dx));
}
Tensor cumulative_trapezoid_x_composite(const Tensor& y, const Tensor& x, int64_t dim) {
  const Samples samples = read_samples("cumulative_trapezoid", y, dim);
  if (has_no_samples(samples)) return y.clone();
  const Tensor steps = find_steps("cumulative_trapezoid", samples, x);
  return add_neighbours(samples).mul(steps).cumsum(samples.dim).div(2);
}
Tensor cumulative_trapezoid_dx_composite(const Tensor& y, const Scalar& dx, int64_t dim) {
  const Samples samples = read_samples("cumulative_trapezoid", y, dim);
  if (has_no_samples(samples)) return y.clone();
  return add_neighbours(samples).cumsum(samples.dim).mul(dx).div(2);
}

std::vector<Tensor> gradient_scalarint_composite(const Tensor& self,
                                                 const std::optional<Scalar>& spacing,
                                                 const std::optional<int64_t>& dim,
                                                 int64_t edge_order) {
  const std::vector<int64_t> dims = dims_or_all(self, dim);
  const std::vector<Scalar> each(dims.size(), spacing.value_or(Scalar(1)));
  return differentiate(self, std::span<const Scalar>(each), dims, edge_order);
}
std::vector<Tensor> gradient_scalararray_composite(const Tensor& self, const Scalar& spacing,
                                                   std::span<const int64_t> dim,
                                                   int64_t edge_order) {
  const std::vector<Scalar> each(dim.size(), spacing);
  return differentiate(self, std::span<const Scalar>(each), dim, edge_order);
}
std::vector<Tensor> gradient_array_composite(const Tensor& self, std::span<const int64_t> dim,
                                             int64_t edge_order) {
  return gradient_scalararray_composite(self, Scalar(1), dim, edge_order);
}
std::vector<Tensor> gradient_scalarrayint_composite(const Tensor& self,
                                                    const std::vector<Scalar>& spacing,
                                                    const std::optional<int64_t>& dim,
                                                    int64_t edge_order) {
  return differentiate(self, std::span<const Scalar>(spacing), dims_or_all(self, dim), edge_order);
}
std::vector<Tensor> gradient_scalarrayarray_composite(const Tensor& self,
                                                      const std::vector<Scalar>& spacing,
                                                      std::span<const int64_t> dim,
                                                      int64_t edge_order) {
  return differentiate(self, std::span<const Scalar>(spacing), dim, edge_order);
}
std::vector<Tensor> gradient_tensorarrayint_composite(const Tensor& self,
                                                      std::span<const Tensor> spacing,
                                                      const std::optional<int64_t>& dim,
                                                      int64_t edge_order) {
  return differentiate(self, spacing, dims_or_all(self, dim), edge_order);
}
std::vector<Tensor> gradient_tensorarray_composite(const Tensor& self,
                                                   std::span<const Tensor> spacing,
                                                   std::span<const int64_t> dim,
                                                   int64_t edge_order) {
  return differentiate(self, spacing, dim, edge_order);
}

}  // namespace opwright
