// adaptive_max_pool2d and adaptive_max_pool3d with their gradients: as many maxima as requested.
#include <span>
#include <tuple>

#include "opwright/ops/pooling/max_plane.h"
#include "opwright/ops/pooling/window.h"
#include "opwright/ops/sampling/planes.h"

namespace opwright {
namespace {

using Ints = std::span<const int64_t>;
using Pair = std::tuple<Tensor, Tensor>;
using FakePair = std::tuple<FakeTensor, FakeTensor>;

SymSizes find_max_sizes(const char* who, const Tensor& self, std::span<const SymInt> output_size,
                        size_t ndim) {
  check_plane_dtype(who, "self", self.dtype());
  OPWRIGHT_CHECK(output_size.size() == ndim, who, ": output_size must hold ", ndim, " sizes, got ",
                 to_text(output_size));
  return adaptive_sizes(who, self, output_size, ndim);
}

Pair pool_max(const char* who, const Tensor& self, Ints output_size, size_t ndim) {
  const Sizes sizes = plain_sizes(find_max_sizes(who, self, symbolic_sizes(output_size), ndim));
  return find_largest(self, sizes, ndim, adaptive_format(self, ndim),
                      [&] { return adaptive_map(ndim, self.sizes(), sizes); });
}
FakePair pool_max(const char* who, const FakeTensor& self, Ints output_size, size_t ndim) {
  const SymSizes sizes = find_max_sizes(who, as_tensor(self), symbolic_sizes(output_size), ndim);
  const MemoryFormat format = adaptive_format(as_tensor(self), ndim);
  return {fake_result(self, sizes, self.dtype(), format),
          fake_result(self, sizes, DType::Int64, format)};
}

// The sizes of the gradient's planes determine the windows.
void check_max_gradient(const char* who, const Tensor& grad, const Tensor& self,
                        const Tensor& indices, size_t ndim) {
  const SymSizes given = sym_geometry_of(grad).sizes;
  check_planes(who, "grad_output", given, ndim);
  const SymSizes sizes = find_max_sizes(who, self, std::span(given).last(ndim), ndim);
  check_gradient(who, grad, self.dtype(), sizes);
  check_indices(who, indices, sizes);
}

Tensor differentiate_max(const char* who, const Tensor& grad, const Tensor& self,
                         const Tensor& indices, size_t ndim) {
  check_max_gradient(who, grad, self, indices, ndim);
  return scatter_gradient(who, grad, self, indices, ndim, adaptive_format(self, ndim));
}
FakeTensor differentiate_max(const char* who, const FakeTensor& grad, const FakeTensor& self,
                             const FakeTensor& indices, size_t ndim) {
  check_max_gradient(who, as_tensor(grad), as_tensor(self), as_tensor(indices), ndim);
  return fake_result(self, self.sizes(), self.dtype(), adaptive_format(as_tensor(self), ndim));
}

}  // namespace

Pair adaptive_max_pool2d_cpu(const Tensor& self, Ints output_size) {
  return pool_max("adaptive_max_pool2d", self, output_size, 2);
}
FakePair adaptive_max_pool2d_fake(const FakeTensor& self, Ints output_size) {
  return pool_max("adaptive_max_pool2d", self, output_size, 2);
}
Pair adaptive_max_pool3d_cpu(const Tensor& self, Ints output_size) {
  return pool_max("adaptive_max_pool3d", self, output_size, 3);
}
FakePair adaptive_max_pool3d_fake(const FakeTensor& self, Ints output_size) {
  return pool_max("adaptive_max_pool3d", self, output_size, 3);
}
Tensor adaptive_max_pool2d_backward_cpu(const Tensor& grad_output, const Tensor& self,
                                        const Tensor& indices) {
  return differentiate_max("adaptive_max_pool2d_backward", grad_output, self, indices, 2);
}
FakeTensor adaptive_max_pool2d_backward_fake(const FakeTensor& grad_output, const FakeTensor& self,
                                             const FakeTensor& indices) {
  return differentiate_max("adaptive_max_pool2d_backward", grad_output, self, indices, 2);
}
Tensor adaptive_max_pool3d_backward_cpu(const Tensor& grad_output, const Tensor& self,
                                        const Tensor& indices) {
  return differentiate_max("adaptive_max_pool3d_backward", grad_output, self, indices, 3);
}
FakeTensor adaptive_max_pool3d_backward_fake(const FakeTensor& grad_output, const FakeTensor& self,
                                             const FakeTensor& indices) {
  return differentiate_max("adaptive_max_pool3d_backward", grad_output, self, indices, 3);
}

}  // namespace opwright
