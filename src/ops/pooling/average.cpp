// avg_pool2d and avg_pool3d with their gradients: the mean of each window.
#include <optional>
#include <span>

#include "opwright/error.h"
#include "opwright/ops/pooling/window.h"
#include "opwright/ops/sampling/planes.h"

namespace opwright {
namespace {

using Ints = std::span<const int64_t>;

constexpr int64_t kNoDilation[] = {1};

struct AveragePool {
  const char* who;
  Windows windows;
  bool ceil_mode;
  bool counts_padding;
  std::optional<int64_t> divisor;

  AveragePool(const char* name, size_t ndim, Ints kernel_size, Ints stride, Ints padding,
              bool ceils, bool count_include_pad, const std::optional<int64_t>& divisor_override)
      : who(name),
        windows(find_windows({.who = name,
                              .ndim = ndim,
                              .kernel_size = kernel_size,
                              .stride = stride,
                              .padding = padding,
                              .dilation = kNoDilation})),
        ceil_mode(ceils),
        counts_padding(count_include_pad),
        divisor(divisor_override) {
    OPWRIGHT_CHECK(divisor != 0, who, ": divisor_override must not be zero");
  }

  [[nodiscard]] SymSizes sizes_of(const Tensor& self) const {
    check_plane_dtype(who, "self", self.dtype(), {DType::Int64});
    SymSizes sizes = pooled_sizes(who, self, windows, ceil_mode);
    for (size_t i = 0; i < windows.size() && windows.size() == 3; ++i) {
      const SymInt size = self.sym_size(static_cast<int64_t>(i) - 3);
      check(size >= windows[i].kernel, concatenate(who, ": kernel_size ", windows[i].kernel,
                                                   " is larger than size ", size, " of self"));
    }
    return sizes;
  }
  // In the format of self, but volumes are contiguous as in PyTorch.
  [[nodiscard]] MemoryFormat format_for(const Tensor& self) const {
    return windows.size() == 3 ? MemoryFormat::Contiguous : suggest_memory_format(self);
  }
  [[nodiscard]] LinearMap map(const Tensor& self, Ints sizes) const {
    LinearMap found = window_map(windows, self.sizes(), sizes, counts_padding);
    found.divisor = divisor;
    return found;
  }

  [[nodiscard]] Tensor run(const Tensor& self) const {
    const Sizes sizes = plain_sizes(sizes_of(self));
    return apply_map(who, self, sizes, format_for(self), [&] { return map(self, sizes); });
  }
  [[nodiscard]] FakeTensor run(const FakeTensor& self) const {
    const Tensor& input = as_tensor(self);
    return fake_result(self, sizes_of(input), self.dtype(), format_for(input));
  }
  [[nodiscard]] Tensor differentiate(const Tensor& grad, const Tensor& self) const {
    const SymSizes sizes = sizes_of(self);
    check_gradient(who, grad, self.dtype(), sizes);
    return apply_transposed(who, map(self, plain_sizes(sizes)), grad, self.sizes(),
                            format_for(self));
  }
  [[nodiscard]] FakeTensor differentiate(const FakeTensor& grad, const FakeTensor& self) const {
    const Tensor& input = as_tensor(self);
    check_gradient(who, as_tensor(grad), self.dtype(), sizes_of(input));
    return fake_result(self, self.sizes(), self.dtype(), format_for(input));
  }
};

}  // namespace

Tensor avg_pool2d_cpu(const Tensor& self, Ints kernel_size, Ints stride, Ints padding,
                      bool ceil_mode, bool count_include_pad,
                      const std::optional<int64_t>& divisor_override) {
  return AveragePool("avg_pool2d", 2, kernel_size, stride, padding, ceil_mode, count_include_pad,
                     divisor_override)
      .run(self);
}
FakeTensor avg_pool2d_fake(const FakeTensor& self, Ints kernel_size, Ints stride, Ints padding,
                           bool ceil_mode, bool count_include_pad,
                           const std::optional<int64_t>& divisor_override) {
  return AveragePool("avg_pool2d", 2, kernel_size, stride, padding, ceil_mode, count_include_pad,
                     divisor_override)
      .run(self);
}
Tensor avg_pool3d_cpu(const Tensor& self, Ints kernel_size, Ints stride, Ints padding,
                      bool ceil_mode, bool count_include_pad,
                      const std::optional<int64_t>& divisor_override) {
  return AveragePool("avg_pool3d", 3, kernel_size, stride, padding, ceil_mode, count_include_pad,
                     divisor_override)
      .run(self);
}
FakeTensor avg_pool3d_fake(const FakeTensor& self, Ints kernel_size, Ints stride, Ints padding,
                           bool ceil_mode, bool count_include_pad,
                           const std::optional<int64_t>& divisor_override) {
  return AveragePool("avg_pool3d", 3, kernel_size, stride, padding, ceil_mode, count_include_pad,
                     divisor_override)
      .run(self);
}

Tensor avg_pool2d_backward_cpu(const Tensor& grad_output, const Tensor& self, Ints kernel_size,
                               Ints stride, Ints padding, bool ceil_mode, bool count_include_pad,
                               const std::optional<int64_t>& divisor_override) {
  return AveragePool("avg_pool2d_backward", 2, kernel_size, stride, padding, ceil_mode,
                     count_include_pad, divisor_override)
      .differentiate(grad_output, self);
}
FakeTensor avg_pool2d_backward_fake(const FakeTensor& grad_output, const FakeTensor& self,
                                    Ints kernel_size, Ints stride, Ints padding, bool ceil_mode,
                                    bool count_include_pad,
                                    const std::optional<int64_t>& divisor_override) {
  return AveragePool("avg_pool2d_backward", 2, kernel_size, stride, padding, ceil_mode,
                     count_include_pad, divisor_override)
      .differentiate(grad_output, self);
}
Tensor avg_pool3d_backward_cpu(const Tensor& grad_output, const Tensor& self, Ints kernel_size,
                               Ints stride, Ints padding, bool ceil_mode, bool count_include_pad,
                               const std::optional<int64_t>& divisor_override) {
  return AveragePool("avg_pool3d_backward", 3, kernel_size, stride, padding, ceil_mode,
                     count_include_pad, divisor_override)
      .differentiate(grad_output, self);
}
FakeTensor avg_pool3d_backward_fake(const FakeTensor& grad_output, const FakeTensor& self,
                                    Ints kernel_size, Ints stride, Ints padding, bool ceil_mode,
                                    bool count_include_pad,
                                    const std::optional<int64_t>& divisor_override) {
  return AveragePool("avg_pool3d_backward", 3, kernel_size, stride, padding, ceil_mode,
                     count_include_pad, divisor_override)
      .differentiate(grad_output, self);
}

}  // namespace opwright
