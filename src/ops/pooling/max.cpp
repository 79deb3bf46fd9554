// max_pool2d_with_indices and max_pool3d_with_indices with their gradients.
#include <span>
#include <tuple>

#include "opwright/ops/pooling/device_pooling.h"
#include "opwright/ops/pooling/max_plane.h"
#include "opwright/ops/pooling/window.h"
#include "opwright/ops/sampling/planes.h"

namespace opwright {
namespace {

using Ints = std::span<const int64_t>;
using Pair = std::tuple<Tensor, Tensor>;
using FakePair = std::tuple<FakeTensor, FakeTensor>;

Tensor with_batch(const Tensor& tensor) {
  SymGeometry geometry = unsqueeze_geometry(sym_geometry_of(tensor), 0, "max_pool3d");
  geometry.strides[0] = tensor.sym_numel();  // of size 1: chosen to suggest the format
  return make_view(tensor, geometry);
}
Tensor without_batch(const Tensor& tensor) {
  return make_view(tensor, squeeze_geometry(sym_geometry_of(tensor), 0, "max_pool3d"));
}
FakeTensor as_fake(const Tensor& tensor) { return FakeTensor::borrow(tensor.get()); }

struct MaxPool {
  const char* who;
  Windows windows;
  bool ceil_mode;

  MaxPool(const char* name, size_t ndim, Ints kernel_size, Ints stride, Ints padding, Ints dilation,
          bool ceils)
      : who(name),
        windows(find_windows({.who = name,
                              .ndim = ndim,
                              .kernel_size = kernel_size,
                              .stride = stride,
                              .padding = padding,
                              .dilation = dilation})),
        ceil_mode(ceils) {}

  [[nodiscard]] SymSizes sizes_of(const Tensor& self) const {
    if (!is_integral(self.dtype())) check_plane_dtype(who, "self", self.dtype());
    return pooled_sizes(who, self, windows, ceil_mode);
  }

  // A volume without a batch is laid out as a batch of one, unlike an image.
  [[nodiscard]] bool needs_batch(const Tensor& self) const {
    return windows.size() == 3 && self.dim() == 4;
  }

  [[nodiscard]] Pair run(const Tensor& self) const {
    if (needs_batch(self)) {
      const auto [values, indices] = run(with_batch(self));
      return {without_batch(values), without_batch(indices)};
    }
    const Sizes sizes = plain_sizes(sizes_of(self));
    return find_largest(self, sizes, windows.size(), suggest_memory_format(self),
                        [&] { return window_map(windows, self.sizes(), sizes, false); });
  }
  [[nodiscard]] Pair run_on_device(const Tensor& self) const {
    return find_largest_on_device(self, windows, plain_sizes(sizes_of(self)));
  }
  [[nodiscard]] FakePair run(const FakeTensor& self) const {
    if (needs_batch(as_tensor(self))) {
      const auto [values, indices] = run(as_fake(with_batch(as_tensor(self))));
      return {as_fake(without_batch(as_tensor(values))),
              as_fake(without_batch(as_tensor(indices)))};
    }
    const SymSizes sizes = sizes_of(as_tensor(self));
    const MemoryFormat format = suggest_memory_format(as_tensor(self));
    return {fake_result(self, sizes, self.dtype(), format),
            fake_result(self, sizes, DType::Int64, format)};
  }

  void check_backward(const Tensor& grad, const Tensor& self, const Tensor& indices) const {
    check_plane_dtype(who, "self", self.dtype());
    const SymSizes sizes = sizes_of(self);
    check_gradient(who, grad, self.dtype(), sizes);
    check_indices(who, indices, sizes);
  }
  [[nodiscard]] Tensor differentiate(const Tensor& grad, const Tensor& self,
                                     const Tensor& indices) const {
    check_backward(grad, self, indices);
    if (needs_batch(self)) {
      return without_batch(differentiate(with_batch(grad), with_batch(self), with_batch(indices)));
    }
    return scatter_gradient(who, grad, self, indices, windows.size(), suggest_memory_format(self));
  }
  [[nodiscard]] Tensor differentiate_on_device(const Tensor& grad, const Tensor& self,
                                               const Tensor& indices) const {
    check_backward(grad, self, indices);
    return scatter_gradient_on_device(grad, self, indices, windows.size());
  }
  [[nodiscard]] FakeTensor differentiate(const FakeTensor& grad, const FakeTensor& self,
                                         const FakeTensor& indices) const {
    check_backward(as_tensor(grad), as_tensor(self), as_tensor(indices));
    if (needs_batch(as_tensor(self))) {
      const Tensor batch = with_batch(as_tensor(self));
      const FakeTensor result = fake_result(self, sym_geometry_of(batch).sizes, self.dtype(),
                                            suggest_memory_format(batch));
      return as_fake(without_batch(as_tensor(result)));
    }
    return fake_result(self, self.sizes(), self.dtype(), suggest_memory_format(as_tensor(self)));
  }
};

}  // namespace

Pair max_pool2d_with_indices_cpu(const Tensor& self, Ints kernel_size, Ints stride, Ints padding,
                                 Ints dilation, bool ceil_mode) {
  return MaxPool("max_pool2d_with_indices", 2, kernel_size, stride, padding, dilation, ceil_mode)
      .run(self);
}
Pair max_pool2d_with_indices_all_devices(const Tensor& self, Ints kernel_size, Ints stride,
                                         Ints padding, Ints dilation, bool ceil_mode) {
  return MaxPool("max_pool2d_with_indices", 2, kernel_size, stride, padding, dilation, ceil_mode)
      .run_on_device(self);
}
FakePair max_pool2d_with_indices_fake(const FakeTensor& self, Ints kernel_size, Ints stride,
                                      Ints padding, Ints dilation, bool ceil_mode) {
  return MaxPool("max_pool2d_with_indices", 2, kernel_size, stride, padding, dilation, ceil_mode)
      .run(self);
}
Pair max_pool3d_with_indices_cpu(const Tensor& self, Ints kernel_size, Ints stride, Ints padding,
                                 Ints dilation, bool ceil_mode) {
  return MaxPool("max_pool3d_with_indices", 3, kernel_size, stride, padding, dilation, ceil_mode)
      .run(self);
}
Pair max_pool3d_with_indices_all_devices(const Tensor& self, Ints kernel_size, Ints stride,
                                         Ints padding, Ints dilation, bool ceil_mode) {
  return MaxPool("max_pool3d_with_indices", 3, kernel_size, stride, padding, dilation, ceil_mode)
      .run_on_device(self);
}
FakePair max_pool3d_with_indices_fake(const FakeTensor& self, Ints kernel_size, Ints stride,
                                      Ints padding, Ints dilation, bool ceil_mode) {
  return MaxPool("max_pool3d_with_indices", 3, kernel_size, stride, padding, dilation, ceil_mode)
      .run(self);
}

Tensor max_pool2d_with_indices_backward_cpu(const Tensor& grad_output, const Tensor& self,
                                            Ints kernel_size, Ints stride, Ints padding,
                                            Ints dilation, bool ceil_mode, const Tensor& indices) {
  return MaxPool("max_pool2d_with_indices_backward", 2, kernel_size, stride, padding, dilation,
                 ceil_mode)
      .differentiate(grad_output, self, indices);
}
Tensor max_pool2d_with_indices_backward_all_devices(const Tensor& grad_output, const Tensor& self,
                                                    Ints kernel_size, Ints stride, Ints padding,
                                                    Ints dilation, bool ceil_mode,
                                                    const Tensor& indices) {
  return MaxPool("max_pool2d_with_indices_backward", 2, kernel_size, stride, padding, dilation,
                 ceil_mode)
      .differentiate_on_device(grad_output, self, indices);
}
FakeTensor max_pool2d_with_indices_backward_fake(const FakeTensor& grad_output,
                                                 const FakeTensor& self, Ints kernel_size,
                                                 Ints stride, Ints padding, Ints dilation,
                                                 bool ceil_mode, const FakeTensor& indices) {
  return MaxPool("max_pool2d_with_indices_backward", 2, kernel_size, stride, padding, dilation,
                 ceil_mode)
      .differentiate(grad_output, self, indices);
}
Tensor max_pool3d_with_indices_backward_cpu(const Tensor& grad_output, const Tensor& self,
                                            Ints kernel_size, Ints stride, Ints padding,
                                            Ints dilation, bool ceil_mode, const Tensor& indices) {
  return MaxPool("max_pool3d_with_indices_backward", 3, kernel_size, stride, padding, dilation,
                 ceil_mode)
      .differentiate(grad_output, self, indices);
}
Tensor max_pool3d_with_indices_backward_all_devices(const Tensor& grad_output, const Tensor& self,
                                                    Ints kernel_size, Ints stride, Ints padding,
                                                    Ints dilation, bool ceil_mode,
                                                    const Tensor& indices) {
  return MaxPool("max_pool3d_with_indices_backward", 3, kernel_size, stride, padding, dilation,
                 ceil_mode)
      .differentiate_on_device(grad_output, self, indices);
}
FakeTensor max_pool3d_with_indices_backward_fake(const FakeTensor& grad_output,
                                                 const FakeTensor& self, Ints kernel_size,
                                                 Ints stride, Ints padding, Ints dilation,
                                                 bool ceil_mode, const FakeTensor& indices) {
  return MaxPool("max_pool3d_with_indices_backward", 3, kernel_size, stride, padding, dilation,
                 ceil_mode)
      .differentiate(grad_output, self, indices);
}

}  // namespace opwright
