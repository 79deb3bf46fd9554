// _adaptive_avg_pool2d and _adaptive_avg_pool3d with their gradients: as many means as requested.
#include <span>

#include "opwright/ops/pooling/window.h"
#include "opwright/ops/sampling/planes.h"

namespace opwright {
namespace {

SymSizes find_average_sizes(const char* who, const Tensor& self,
                            std::span<const SymInt> output_size, size_t ndim) {
  check_plane_dtype(who, "self", self.dtype());
  return adaptive_sizes(who, self, output_size, ndim);
}

Tensor pool_average(const char* who, const Tensor& self, std::span<const int64_t> output_size,
                    size_t ndim) {
  const Sizes sizes = plain_sizes(find_average_sizes(who, self, symbolic_sizes(output_size), ndim));
  return apply_map(who, self, sizes, adaptive_format(self, ndim),
                   [&] { return adaptive_map(ndim, self.sizes(), sizes); });
}
FakeTensor pool_average(const char* who, const FakeTensor& self,
                        std::span<const SymInt> output_size, size_t ndim) {
  const Tensor& input = as_tensor(self);
  return fake_result(self, find_average_sizes(who, input, output_size, ndim), self.dtype(),
                     adaptive_format(input, ndim));
}

// The sizes of the gradient's planes determine the windows.
void check_average_gradient(const char* who, const Tensor& grad, const Tensor& self, size_t ndim) {
  const SymSizes given = sym_geometry_of(grad).sizes;
  check_planes(who, "grad_output", given, ndim);
  const std::span<const SymInt> last = std::span(given).last(ndim);
  check_gradient(who, grad, self.dtype(), find_average_sizes(who, self, last, ndim));
}

Tensor differentiate_average(const char* who, const Tensor& grad, const Tensor& self, size_t ndim) {
  check_average_gradient(who, grad, self, ndim);
  return apply_transposed(who, adaptive_map(ndim, self.sizes(), grad.sizes()), grad, self.sizes(),
                          adaptive_format(self, ndim));
}
FakeTensor differentiate_average(const char* who, const FakeTensor& grad, const FakeTensor& self,
                                 size_t ndim) {
  check_average_gradient(who, as_tensor(grad), as_tensor(self), ndim);
  return fake_result(self, self.sizes(), self.dtype(), adaptive_format(as_tensor(self), ndim));
}

}  // namespace

Tensor adaptive_avg_pool2d_cpu(const Tensor& self, std::span<const int64_t> output_size) {
  return pool_average("_adaptive_avg_pool2d", self, output_size, 2);
}
FakeTensor adaptive_avg_pool2d_fake(const FakeTensor& self, std::span<const SymInt> output_size) {
  return pool_average("_adaptive_avg_pool2d", self, output_size, 2);
}
Tensor adaptive_avg_pool3d_cpu(const Tensor& self, std::span<const int64_t> output_size) {
  return pool_average("_adaptive_avg_pool3d", self, output_size, 3);
}
FakeTensor adaptive_avg_pool3d_fake(const FakeTensor& self, std::span<const SymInt> output_size) {
  return pool_average("_adaptive_avg_pool3d", self, output_size, 3);
}
Tensor adaptive_avg_pool2d_backward_cpu(const Tensor& grad_output, const Tensor& self) {
  return differentiate_average("_adaptive_avg_pool2d_backward", grad_output, self, 2);
}
FakeTensor adaptive_avg_pool2d_backward_fake(const FakeTensor& grad_output,
                                             const FakeTensor& self) {
  return differentiate_average("_adaptive_avg_pool2d_backward", grad_output, self, 2);
}
Tensor adaptive_avg_pool3d_backward_cpu(const Tensor& grad_output, const Tensor& self) {
  return differentiate_average("_adaptive_avg_pool3d_backward", grad_output, self, 3);
}
FakeTensor adaptive_avg_pool3d_backward_fake(const FakeTensor& grad_output,
                                             const FakeTensor& self) {
  return differentiate_average("_adaptive_avg_pool3d_backward", grad_output, self, 3);
}

}  // namespace opwright
