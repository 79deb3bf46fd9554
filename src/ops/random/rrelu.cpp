// rrelu: leaky_relu with a random slope for each element in training, as composites.
#include <optional>
#include <span>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

struct Slopes {
  double lower, upper;
};

Slopes find_slopes(const Scalar& lower, const Scalar& upper) {
  const Slopes slopes{lower.to<double>(), upper.to<double>()};
  OPWRIGHT_CHECK(slopes.lower <= slopes.upper, "rrelu: lower must be at most upper, got ",
                 slopes.lower, " and ", slopes.upper);
  return slopes;
}

// 1 for positive elements, and a slope for each other one.
Tensor draw_slopes(const Tensor& self, const Slopes& slopes,
                   const std::optional<Generator>& generator) {
  const Tensor drawn = rand_like(self, generator).mul(slopes.upper - slopes.lower);
  return where(self.le(0), drawn.add(slopes.lower), Scalar(1));
}

void check_noise(const Tensor& self, const Tensor& noise) {
  const SymSizes sizes = sym_geometry_of(self).sizes;
  const SymSizes given = sym_geometry_of(noise).sizes;
  const auto message = [&] {
    return concatenate("rrelu_with_noise: noise must have the sizes and dtype of self, ",
                       to_text(sizes), " and ", self.dtype(), ", got ", to_text(given), " and ",
                       noise.dtype());
  };
  demand(self.dtype() == noise.dtype(), "RuntimeError", message);
  demand(have_same_sizes(std::span<const SymInt>(given), std::span<const SymInt>(sizes)),
         "RuntimeError", message);
}

}  // namespace

Tensor rrelu_composite(const Tensor& self, const Scalar& lower, const Scalar& upper, bool training,
                       const std::optional<Generator>& generator) {
  const Slopes slopes = find_slopes(lower, upper);
  if (!training) return leaky_relu(self, (slopes.lower + slopes.upper) / 2);
  return self.mul(draw_slopes(self, slopes, generator));
}

Tensor& rrelu_in_place_composite(Tensor& self, const Scalar& lower, const Scalar& upper,
                                 bool training, const std::optional<Generator>& generator) {
  const Slopes slopes = find_slopes(lower, upper);
  if (!training) return leaky_relu_(self, (slopes.lower + slopes.upper) / 2);
  return self.mul_(draw_slopes(self, slopes, generator));
}

Tensor rrelu_with_noise_composite(const Tensor& self, Tensor& noise, const Scalar& lower,
                                  const Scalar& upper, bool training,
                                  const std::optional<Generator>& generator) {
  const Slopes slopes = find_slopes(lower, upper);
  if (!training) return leaky_relu(self, (slopes.lower + slopes.upper) / 2);
  check_noise(self, noise);
  noise.uniform_(slopes.lower, slopes.upper, generator);
  noise.masked_fill_(self.le(0).logical_not(), Scalar(1));
  return self.mul(noise);
}

Tensor rrelu_with_noise_backward_composite(const Tensor& grad_output, const Tensor& self,
                                           const Tensor& noise, const Scalar& lower,
                                           const Scalar& upper, bool training,
                                           bool self_is_result) {
  const Slopes slopes = find_slopes(lower, upper);
  if (training && slopes.upper - slopes.lower > 1e-6) return grad_output.mul(noise);
  return leaky_relu_backward(grad_output, self, (slopes.lower + slopes.upper) / 2, self_is_result);
}

}  // namespace opwright
