// fractional_max_pool2d and fractional_max_pool3d with their gradients: maxima of windows whose
// places are random, so that the sizes shrink by a fraction.
//
// `random_samples` has a number in [0, 1) for each channel of each example and each dimension,
// which fixes where its windows begin.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "opwright/error.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/pooling/max_plane.h"
#include "opwright/ops/sampling/planes.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

using Ints = std::span<const int64_t>;
using Pair = std::tuple<Tensor, Tensor>;
using FakePair = std::tuple<FakeTensor, FakeTensor>;

struct FractionalPool {
  const char* who;
  size_t ndim;
  Ints kernel_size;
  Ints output_size;

  // Number `i` of a list with one number for all dimensions or one per dimension.
  [[nodiscard]] static int64_t number(Ints numbers, size_t i) {
    return numbers[numbers.size() == 1 ? 0 : i];
  }

  [[nodiscard]] SymSizes find_sizes(const Tensor& self) const {
    check_plane_dtype(who, "self", self.dtype());
    const auto check_list = [&](const char* name, Ints numbers) {
      OPWRIGHT_CHECK(numbers.size() == 1 || numbers.size() == ndim, who, ": ", name,
                     " must hold one number or ", ndim, ", got ", to_text(numbers));
      for (const int64_t each : numbers) {
        OPWRIGHT_CHECK(each >= 1 && each <= INT32_MAX, who, ": ", name, " must be positive, got ",
                       to_text(numbers));
      }
    };
    check_list("kernel_size", kernel_size);
    check_list("output_size", output_size);
    SymSizes sizes = sym_geometry_of(self).sizes;
    check_planes(who, "self", sizes, ndim);
    const std::string given = to_text(sizes);
    for (size_t i = 0; i < ndim; ++i) {
      SymInt& size = sizes[sizes.size() - ndim + i];
      const int64_t out = number(output_size, i);
      check(size >= out + number(kernel_size, i) - 1,
            concatenate(who, ": windows of ", to_text(kernel_size), " elements and output_size ",
                        to_text(output_size), " do not fit in self of sizes ", given));
      size = out;
    }
    return sizes;
  }

  void check_samples(const Tensor& self, const Tensor& samples) const {
    OPWRIGHT_CHECK_TYPE(samples.dtype() == self.dtype(), who, ": random_samples of ",
                        samples.dtype(), " must have the dtype of self, ", self.dtype());
    const SymSizes sizes = sym_geometry_of(self).sizes;
    const bool has_batch = sizes.size() == ndim + 2;
    const std::string problem =
        concatenate(who, ": random_samples must be [batch, channels, ", ndim,
                    "] for self of sizes ", to_text(sizes), ", got ", samples);
    OPWRIGHT_CHECK(samples.dim() == 3, problem);
    check(samples.sym_size(0) == (has_batch ? sizes[0] : SymInt(1)), problem);
    check(samples.sym_size(1) == sizes[has_batch ? 1 : 0], problem);
    check(samples.sym_size(2) == static_cast<int64_t>(ndim), problem);
  }

  // Where the windows of a dimension begin.
  template <class C>
  [[nodiscard]] std::vector<int64_t> find_begins(size_t dim, int64_t in, C sample) const {
    const int64_t out = number(output_size, dim);
    const int64_t last = in - number(kernel_size, dim);
    std::vector<int64_t> begins(static_cast<size_t>(out), last);
    if (out == 1) return begins;
    const C step = static_cast<C>(last) / static_cast<C>(out - 1);
    const auto shift = static_cast<int64_t>(sample * step);
    for (int64_t i = 0; i < out - 1; ++i) {
      const int64_t begin = static_cast<int64_t>((static_cast<C>(i) + sample) * step) - shift;
      begins[static_cast<size_t>(i)] = std::clamp<int64_t>(begin, 0, last);
    }
    return begins;
  }

  template <class C>
  void pool_plane(const C* in, const C* samples, Ints sizes, C* out, int64_t* indices) const {
    // Missing leading dimensions have size 1. PyTorch's samples of an image come width first.
    std::array<std::vector<int64_t>, 3> begins;
    begins.fill({0});
    std::array<int64_t, 3> kernel{1, 1, 1};
    std::array<int64_t, 3> size{1, 1, 1};
    for (size_t i = 0; i < ndim; ++i) {
      const size_t at = 3 - ndim + i;
      size[at] = sizes[sizes.size() - ndim + i];
      kernel[at] = number(kernel_size, i);
      begins[at] = find_begins(i, size[at], samples[ndim == 2 ? 1 - i : i]);
    }
    for (const int64_t z : begins[0]) {
      for (const int64_t y : begins[1]) {
        for (const int64_t x : begins[2]) {
          C best = -std::numeric_limits<C>::infinity();
          int64_t place = (z * size[1] + y) * size[2] + x;
          for (int64_t i = z; i < z + kernel[0]; ++i) {
            for (int64_t j = y; j < y + kernel[1]; ++j) {
              const int64_t row = (i * size[1] + j) * size[2];
              for (int64_t k = row + x; k < row + x + kernel[2]; ++k) {
                if (!(in[k] > best) && in[k] == in[k]) continue;  // NaN is the largest
                best = in[k];
                place = k;
              }
            }
          }
          *out++ = best;
          *indices++ = place;
        }
      }
    }
  }

  [[nodiscard]] Pair run(const Tensor& self, const Tensor& random_samples) const {
    const Sizes sizes = plain_sizes(find_sizes(self));
    check_samples(self, random_samples);
    const DType wide = self.dtype() == DType::Float64 ? DType::Float64 : DType::Float32;
    const Tensor values = make_empty(sizes, wide);
    const Tensor indices = make_empty(sizes, DType::Int64);
    const auto compute = [&]<typename C>() {
      const Tensor dense = as_contiguous(as_dtype(self, wide));
      const Tensor samples = as_contiguous(as_dtype(random_samples, wide));
      const int64_t from = product(self.sizes().last(ndim));
      const int64_t to = product(std::span<const int64_t>(sizes).last(ndim));
      for_each_plane(values.numel() / to, from, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          pool_plane(dense.data<C>() + i * from, samples.data<C>() + i * static_cast<int64_t>(ndim),
                     self.sizes(), values.mutable_data<C>() + i * to,
                     indices.mutable_data<int64_t>() + i * to);
        }
      });
    };
    if (values.numel() != 0 && wide == DType::Float64) compute.template operator()<double>();
    if (values.numel() != 0 && wide == DType::Float32) compute.template operator()<float>();
    return {as_dtype(values, self.dtype()), indices};
  }
  [[nodiscard]] FakePair run(const FakeTensor& self, const FakeTensor& random_samples) const {
    const SymSizes sizes = find_sizes(as_tensor(self));
    check_samples(as_tensor(self), as_tensor(random_samples));
    return {make_fake_like(self, sizes, self.dtype()), make_fake_like(self, sizes, DType::Int64)};
  }

  void check_backward(const Tensor& grad, const Tensor& self, const Tensor& indices) const {
    const SymSizes sizes = find_sizes(self);
    check_gradient(who, grad, self.dtype(), sizes);
    check_indices(who, indices, sizes);
  }
  [[nodiscard]] Tensor differentiate(const Tensor& grad, const Tensor& self,
                                     const Tensor& indices) const {
    check_backward(grad, self, indices);
    return scatter_gradient(who, grad, self, indices, ndim, MemoryFormat::Contiguous);
  }
  [[nodiscard]] FakeTensor differentiate(const FakeTensor& grad, const FakeTensor& self,
                                         const FakeTensor& indices) const {
    check_backward(as_tensor(grad), as_tensor(self), as_tensor(indices));
    return make_fake_like(self, self.sizes(), self.dtype());
  }
};

}  // namespace

Pair fractional_max_pool2d_cpu(const Tensor& self, Ints kernel_size, Ints output_size,
                               const Tensor& random_samples) {
  return FractionalPool{"fractional_max_pool2d", 2, kernel_size, output_size}.run(self,
                                                                                  random_samples);
}
FakePair fractional_max_pool2d_fake(const FakeTensor& self, Ints kernel_size, Ints output_size,
                                    const FakeTensor& random_samples) {
  return FractionalPool{"fractional_max_pool2d", 2, kernel_size, output_size}.run(self,
                                                                                  random_samples);
}
Pair fractional_max_pool3d_cpu(const Tensor& self, Ints kernel_size, Ints output_size,
                               const Tensor& random_samples) {
  return FractionalPool{"fractional_max_pool3d", 3, kernel_size, output_size}.run(self,
                                                                                  random_samples);
}
FakePair fractional_max_pool3d_fake(const FakeTensor& self, Ints kernel_size, Ints output_size,
                                    const FakeTensor& random_samples) {
  return FractionalPool{"fractional_max_pool3d", 3, kernel_size, output_size}.run(self,
                                                                                  random_samples);
}
Tensor fractional_max_pool2d_backward_cpu(const Tensor& grad_output, const Tensor& self,
                                          Ints kernel_size, Ints output_size,
                                          const Tensor& indices) {
  return FractionalPool{"fractional_max_pool2d_backward", 2, kernel_size, output_size}
      .differentiate(grad_output, self, indices);
}
FakeTensor fractional_max_pool2d_backward_fake(const FakeTensor& grad_output,
                                               const FakeTensor& self, Ints kernel_size,
                                               Ints output_size, const FakeTensor& indices) {
  return FractionalPool{"fractional_max_pool2d_backward", 2, kernel_size, output_size}
      .differentiate(grad_output, self, indices);
}
Tensor fractional_max_pool3d_backward_cpu(const Tensor& grad_output, const Tensor& self,
                                          Ints kernel_size, Ints output_size,
                                          const Tensor& indices) {
  return FractionalPool{"fractional_max_pool3d_backward", 3, kernel_size, output_size}
      .differentiate(grad_output, self, indices);
}
FakeTensor fractional_max_pool3d_backward_fake(const FakeTensor& grad_output,
                                               const FakeTensor& self, Ints kernel_size,
                                               Ints output_size, const FakeTensor& indices) {
  return FractionalPool{"fractional_max_pool3d_backward", 3, kernel_size, output_size}
      .differentiate(grad_output, self, indices);
}

}  // namespace opwright
