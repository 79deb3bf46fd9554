// Pooling as composites: one dimension as the last of two, maxima without indices.
#include <array>
#include <span>
#include <tuple>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

using Ints = std::span<const int64_t>;

// The number for the last of two dimensions; the first one gets `other`.
std::array<int64_t, 2> as_second(const char* who, const char* name, Ints numbers, int64_t other) {
  OPWRIGHT_CHECK(numbers.size() == 1, who, ": ", name, " must hold one number, got ",
                 to_text(numbers));
  return {other, numbers[0]};
}

// Reshapes self to [.., 1, length].
Tensor as_rows(const char* who, const Tensor& self) {
  OPWRIGHT_CHECK(self.dim() == 2 || self.dim() == 3, who,
                 ": self must have 2 or 3 dimensions, got ", self.dim());
  return self.unsqueeze(-2);
}

}  // namespace

Tensor avg_pool1d_composite(const Tensor& self, Ints kernel_size, Ints stride, Ints padding,
                            bool ceil_mode, bool count_include_pad) {
  constexpr const char* kWho = "avg_pool1d";
  return avg_pool2d(as_rows(kWho, self), as_second(kWho, "kernel_size", kernel_size, 1),
                    as_second(kWho, "stride", stride.empty() ? kernel_size : stride, 1),
                    as_second(kWho, "padding", padding, 0), ceil_mode, count_include_pad)
      .squeeze(-2);
}

std::tuple<Tensor, Tensor> max_pool1d_with_indices_composite(const Tensor& self, Ints kernel_size,
                                                             Ints stride, Ints padding,
                                                             Ints dilation, bool ceil_mode) {
  constexpr const char* kWho = "max_pool1d_with_indices";
  const auto [values, indices] = max_pool2d_with_indices(
      as_rows(kWho, self), as_second(kWho, "kernel_size", kernel_size, 1),
      as_second(kWho, "stride", stride.empty() ? kernel_size : stride, 1),
      as_second(kWho, "padding", padding, 0), as_second(kWho, "dilation", dilation, 1), ceil_mode);
  return {values.squeeze(-2), indices.squeeze(-2)};
}

Tensor max_pool1d_composite(const Tensor& self, Ints kernel_size, Ints stride, Ints padding,
                            Ints dilation, bool ceil_mode) {
  // Contiguous, unlike the result with indices: PyTorch has a separate kernel for it.
  return std::get<0>(
             max_pool1d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode))
      .contiguous();
}
Tensor max_pool2d_composite(const Tensor& self, Ints kernel_size, Ints stride, Ints padding,
                            Ints dilation, bool ceil_mode) {
  return std::get<0>(
      max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}
Tensor max_pool3d_composite(const Tensor& self, Ints kernel_size, Ints stride, Ints padding,
                            Ints dilation, bool ceil_mode) {
  return std::get<0>(
      max_pool3d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}

Tensor adaptive_avg_pool1d_composite(const Tensor& self, Ints output_size) {
  constexpr const char* kWho = "adaptive_avg_pool1d";
  const std::array<int64_t, 2> sizes = as_second(kWho, "output_size", output_size, 1);
  return adaptive_avg_pool2d(as_rows(kWho, self), {sizes[0], sizes[1]}).squeeze(-2);
}
std::tuple<Tensor, Tensor> adaptive_max_pool1d_composite(const Tensor& self, Ints output_size) {
  constexpr const char* kWho = "adaptive_max_pool1d";
  const auto [values, indices] =
      adaptive_max_pool2d(as_rows(kWho, self), as_second(kWho, "output_size", output_size, 1));
  return {values.squeeze(-2), indices.squeeze(-2)};
}

Tensor adaptive_avg_pool2d_composite(const Tensor& self, std::span<const SymInt> output_size) {
  return _adaptive_avg_pool2d(self, output_size);
}
Tensor adaptive_avg_pool3d_composite(const Tensor& self, std::span<const SymInt> output_size) {
  return _adaptive_avg_pool3d(self, output_size);
}

}  // namespace opwright
