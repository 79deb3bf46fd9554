#include "opwright/ops/pooling/device_pooling.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

using Ints = std::span<const int64_t>;

// A number not above any element. The least int64 is a double, since ints in a Scalar have 63 bits.
Scalar lowest(DType dtype) {
  if (is_floating(dtype)) return -std::numeric_limits<double>::infinity();
  if (dtype == DType::UInt8) return 0;
  return -std::ldexp(1.0, static_cast<int>(dtype_bits(dtype)) - 1);
}

// Pads where windows along a dimension extend beyond the elements.
Tensor pad_for(const Tensor& self, const Windows& windows, Ints sizes) {
  std::vector<SymInt> pad;
  for (size_t i = windows.size(); i-- > 0;) {
    const size_t dim = sizes.size() - windows.size() + i;
    const Window& window = windows[i];
    const int64_t end = (sizes[dim] - 1) * window.stride + window.extent() - window.padding;
    pad.emplace_back(window.padding);
    pad.emplace_back(std::max<int64_t>(0, end - self.sizes()[dim]));
  }
  return constant_pad_nd(self, pad, lowest(self.dtype()));
}

// [sizes..., elements of a window]
Tensor take_pooled_windows(const Tensor& padded, const Windows& windows, Ints sizes) {
  const size_t lead = sizes.size() - windows.size();
  Geometry taken = geometry_of(padded);
  taken.sizes = Sizes(sizes);
  for (size_t i = 0; i < windows.size(); ++i) taken.strides[lead + i] *= windows[i].stride;
  int64_t count = 1;
  for (size_t i = 0; i < windows.size(); ++i) {
    taken.sizes.push_back(windows[i].kernel);
    taken.strides.push_back(padded.strides()[lead + i] * windows[i].dilation);
    count *= windows[i].kernel;
  }
  Sizes flat(sizes);
  flat.push_back(count);
  return make_view(padded, taken).reshape(flat);
}

// The positions in the planes of `self` of the elements `found` in their windows.
Tensor find_places(const Tensor& self, const Tensor& found, const Windows& windows) {
  const Ints sizes = found.sizes();
  Tensor places;
  Tensor rest = found;
  int64_t step = 1;
  for (size_t i = windows.size(); i-- > 0;) {
    const size_t dim = sizes.size() - windows.size() + i;
    const Window& window = windows[i];
    Sizes along(sizes.size(), 1);
    along[dim] = sizes[dim];
    const Tensor first = arange(sizes[dim], DType::Int64, std::nullopt, self.device())
                             .mul_(window.stride)
                             .sub_(window.padding)
                             .reshape(along);
    // Padding is found if an entire window is as low as the padding.
    const Tensor place = rest.remainder(window.kernel)
                             .mul_(window.dilation)
                             .add_(first)
                             .clamp_(0, self.sizes()[dim] - 1)
                             .mul_(step);
    places = places.is_defined() ? places.add_(place) : place;
    rest = rest.floor_divide(window.kernel);
    step *= self.sizes()[dim];
  }
  return places;
}

}  // namespace

std::tuple<Tensor, Tensor> find_largest_on_device(const Tensor& self, const Windows& windows,
                                                  Ints sizes) {
  const MemoryFormat format = suggest_memory_format(self);
  if (product(sizes) == 0) {
    const auto make = [&](DType dtype) {
      return empty(sizes, dtype, std::nullopt, self.device(), std::nullopt, format);
    };
    return {make(self.dtype()), make(DType::Int64)};
  }
  const Tensor taken = take_pooled_windows(pad_for(self, windows, sizes), windows, sizes);
  const auto [values, found] = taken.max(-1);
  return {values.contiguous(format), find_places(self, found, windows).contiguous(format)};
}

Tensor scatter_gradient_on_device(const Tensor& grad, const Tensor& self, const Tensor& indices,
                                  size_t ndim) {
  const auto lead = static_cast<size_t>(self.dim()) - ndim;
  const int64_t planes = product(self.sizes().first(lead));
  Tensor sums = zeros({planes, product(self.sizes().subspan(lead))}, self.dtype(), std::nullopt,
                      self.device());
  if (grad.numel() != 0) {
    const int64_t windows = grad.numel() / planes;
    sums.scatter_add_(1, indices.reshape({planes, windows}), grad.reshape({planes, windows}));
  }
  return sums.reshape(self.sizes()).contiguous(suggest_memory_format(self));
}

}  // namespace opwright
