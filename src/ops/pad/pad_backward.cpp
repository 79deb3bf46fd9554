// Gradients of reflection and replication padding: each element sums those of its copies.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/ops/pad/pad_border.h"
#include "opwright/ops/sampling/linear_map.h"
#include "opwright/ops/sampling/planes.h"

namespace opwright {
namespace {

// Maps each element of the padded dimension to its source.
Taps border_taps(Border border, int64_t size, int64_t before, int64_t padded) {
  Taps taps(size);
  for (int64_t i = 0; i < padded; ++i) {
    int64_t at = i - before;
    if (border == Border::Reflect) {
      at = at < 0 ? -at : at;
      at = at >= size ? 2 * (size - 1) - at : at;
    }
    taps.index.push_back(std::clamp<int64_t>(at, 0, size - 1));
    taps.finish_result();
  }
  return taps;
}

void check_backward(const char* who, Border border, const Tensor& grad, const Tensor& self,
                    std::span<const SymInt> padding, size_t ndim) {
  SymSizes sizes = sym_geometry_of(self).sizes;
  OPWRIGHT_CHECK(padding.size() == 2 * ndim, who, ": padding must hold ", 2 * ndim, " widths, got ",
                 to_text(padding));
  check_planes(who, "self", sizes, ndim);
  check_plane_dtype(who, "grad_output", grad.dtype(), {DType::Complex64, DType::Complex128});
  for (size_t k = 0; k < ndim; ++k) {
    SymInt& size = sizes[sizes.size() - 1 - k];
    if (border == Border::Reflect) {
      check(sym_and(padding[2 * k] < size, padding[2 * k + 1] < size),
            concatenate(who, ": padding ", to_text(padding),
                        " must be smaller than the padded dimensions of self"));
    }
    size = size + padding[2 * k] + padding[2 * k + 1];
  }
  check_gradient(who, grad, self.dtype(), sizes);
}

Tensor differentiate(const char* who, Border border, const Tensor& grad, const Tensor& self,
                     std::span<const int64_t> padding, size_t ndim) {
  check_backward(who, border, grad, self, symbolic_sizes(padding), ndim);
  std::vector<Taps> last;
  for (size_t k = ndim; k-- > 0;) {
    const size_t dim = self.sizes().size() - 1 - k;
    last.push_back(border_taps(border, self.sizes()[dim], padding[2 * k], grad.sizes()[dim]));
  }
  return apply_transposed(who, LinearMap(std::move(last)), grad, self.sizes(),
                          suggest_memory_format(self));
}
FakeTensor differentiate(const char* who, Border border, const FakeTensor& grad,
                         const FakeTensor& self, std::span<const SymInt> padding, size_t ndim) {
  check_backward(who, border, as_tensor(grad), as_tensor(self), padding, ndim);
  return fake_result(self, self.sizes(), self.dtype(), suggest_memory_format(as_tensor(self)));
}

}  // namespace

Tensor reflection_pad1d_backward_cpu(const Tensor& grad_output, const Tensor& self,
                                     std::span<const int64_t> padding) {
  return differentiate("reflection_pad1d_backward", Border::Reflect, grad_output, self, padding, 1);
}
FakeTensor reflection_pad1d_backward_fake(const FakeTensor& grad_output, const FakeTensor& self,
                                          std::span<const SymInt> padding) {
  return differentiate("reflection_pad1d_backward", Border::Reflect, grad_output, self, padding, 1);
}
Tensor reflection_pad2d_backward_cpu(const Tensor& grad_output, const Tensor& self,
                                     std::span<const int64_t> padding) {
  return differentiate("reflection_pad2d_backward", Border::Reflect, grad_output, self, padding, 2);
}
FakeTensor reflection_pad2d_backward_fake(const FakeTensor& grad_output, const FakeTensor& self,
                                          std::span<const SymInt> padding) {
  return differentiate("reflection_pad2d_backward", Border::Reflect, grad_output, self, padding, 2);
}
Tensor reflection_pad3d_backward_cpu(const Tensor& grad_output, const Tensor& self,
                                     std::span<const int64_t> padding) {
  return differentiate("reflection_pad3d_backward", Border::Reflect, grad_output, self, padding, 3);
}
FakeTensor reflection_pad3d_backward_fake(const FakeTensor& grad_output, const FakeTensor& self,
                                          std::span<const SymInt> padding) {
  return differentiate("reflection_pad3d_backward", Border::Reflect, grad_output, self, padding, 3);
}
Tensor replication_pad1d_backward_cpu(const Tensor& grad_output, const Tensor& self,
                                      std::span<const int64_t> padding) {
  return differentiate("replication_pad1d_backward", Border::Replicate, grad_output, self, padding,
                       1);
}
FakeTensor replication_pad1d_backward_fake(const FakeTensor& grad_output, const FakeTensor& self,
                                           std::span<const SymInt> padding) {
  return differentiate("replication_pad1d_backward", Border::Replicate, grad_output, self, padding,
                       1);
}
Tensor replication_pad2d_backward_cpu(const Tensor& grad_output, const Tensor& self,
                                      std::span<const int64_t> padding) {
  return differentiate("replication_pad2d_backward", Border::Replicate, grad_output, self, padding,
                       2);
}
FakeTensor replication_pad2d_backward_fake(const FakeTensor& grad_output, const FakeTensor& self,
                                           std::span<const SymInt> padding) {
  return differentiate("replication_pad2d_backward", Border::Replicate, grad_output, self, padding,
                       2);
}
Tensor replication_pad3d_backward_cpu(const Tensor& grad_output, const Tensor& self,
                                      std::span<const int64_t> padding) {
  return differentiate("replication_pad3d_backward", Border::Replicate, grad_output, self, padding,
                       3);
}
FakeTensor replication_pad3d_backward_fake(const FakeTensor& grad_output, const FakeTensor& self,
                                           std::span<const SymInt> padding) {
  return differentiate("replication_pad3d_backward", Border::Replicate, grad_output, self, padding,
                       3);
}

}  // namespace opwright
