// Operators that create tensors, on every device.
#include "opwright/tensor/factory.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "opwright/base/thread_state.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symbolic/shape_env/value_finder.h"
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/pinned_memory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// Whether a new tensor has no memory: on meta, and inside a fake kernel.
bool makes_fake(Device device) {
  return device.type == kOpwDeviceMeta || thread_state().makes_fakes();
}

// Whether to pin the memory of a new tensor.
bool is_to_pin(const char* who, const std::optional<bool>& pin_memory, Device device) {
  if (!pin_memory.value_or(false)) [[likely]]
    return false;
  OPWRIGHT_CHECK(device.type == kOpwDeviceCpu, who, ": only memory of the cpu is pinned, got ",
                 device, "; omit pin_memory");
  return true;
}

// Plain sizes for tensors with memory: symbols exist only while shapes are traced on fake tensors,
// and become their values when that ends.
class PlainSizes {
 public:
  PlainSizes(const char* who, std::span<const SymInt> sizes, Device device)
      : plain_(as_plain(sizes)) {
    if (plain_) [[likely]]
      return;
    known_ = settled(sizes);
    plain_ = as_plain(known_);
    OPWRIGHT_CHECK_VALUE(plain_.has_value(), who, ": a tensor on ", device,
                         " cannot have the symbolic sizes ", to_text(sizes));
  }
  PlainSizes(const PlainSizes&) = delete;
  PlainSizes& operator=(const PlainSizes&) = delete;
  operator std::span<const int64_t>() const { return *plain_; }

 private:
  std::vector<SymInt> known_;
  std::optional<std::span<const int64_t>> plain_;
};

// The common case: nothing symbolic or wrapped, and the strides of a new tensor.
bool is_plain_and_contiguous(const Tensor& self) {
  const OpwTensor* tensor = self.get();
  constexpr uint32_t kSpecial = kOpwFlagFake | kOpwFlagWrapped | kOpwFlagSymbolic | kOpwFlagStale;
  if (!tensor || (tensor->flags & kSpecial) != 0) return false;
  int64_t next = 1;
  for (int32_t i = tensor->dl.ndim; i-- > 0;) {
    if (tensor->dl.strides[i] != next) return false;
    next *= std::max<int64_t>(tensor->dl.shape[i], 1);
  }
  return true;
}

bool keeps_contiguous(const std::optional<MemoryFormat>& format) {
  return !format || *format == MemoryFormat::Preserve || *format == MemoryFormat::Contiguous;
}

}  // namespace

Tensor empty_all_devices(std::span<const SymInt> size, const std::optional<DType>& dtype,
                         const std::optional<Layout>& /*layout*/,
                         const std::optional<Device>& device, const std::optional<bool>& pin_memory,
                         const std::optional<MemoryFormat>& memory_format) {
  const MemoryFormat format = memory_format.value_or(MemoryFormat::Contiguous);
  OPWRIGHT_CHECK_VALUE(format != MemoryFormat::Preserve,
                       "empty: there is no tensor whose memory format could be preserved");
  const DType element = dtype.value_or(kDefaultFloat);
  const Device where = device.value_or(kCpu);
  if (makes_fake(where))
    return make_fake(size, contiguous_strides(size, format), 0, element, where);
  const PlainSizes plain("empty", size, where);
  if (is_to_pin("empty", pin_memory, where)) [[unlikely]]
    return make_empty_pinned(plain, contiguous_strides(std::span<const int64_t>(plain), format),
                             element);
  return make_empty(plain, element, where, format);
}

Tensor empty_strided_all_devices(std::span<const SymInt> size, std::span<const SymInt> stride,
                                 const std::optional<DType>& dtype,
                                 const std::optional<Layout>& /*layout*/,
                                 const std::optional<Device>& device,
                                 const std::optional<bool>& pin_memory) {
  const DType element = dtype.value_or(kDefaultFloat);
  const Device where = device.value_or(kCpu);
  if (makes_fake(where)) return make_fake(size, stride, 0, element, where);
  const PlainSizes sizes("empty_strided", size, where);
  const PlainSizes strides("empty_strided", stride, where);
  if (is_to_pin("empty_strided", pin_memory, where)) [[unlikely]]
    return make_empty_pinned(sizes, strides, element);
  return make_empty_strided(sizes, strides, element, where);
}

Tensor empty_like_all_devices(const Tensor& self, const std::optional<DType>& dtype,
                              const std::optional<Layout>& /*layout*/,
                              const std::optional<Device>& device,
                              const std::optional<bool>& pin_memory,
                              const std::optional<MemoryFormat>& memory_format) {
  if (is_plain_and_contiguous(self) && !device && !pin_memory.value_or(false) &&
      !thread_state().makes_fakes() && keeps_contiguous(memory_format)) [[likely]] {
    const OpwDlTensor& shown = self.get()->dl;
    return make_empty({shown.shape, static_cast<size_t>(shown.ndim)}, dtype.value_or(self.dtype()),
                      self.device());
  }
  const DType element = dtype.value_or(self.dtype());
  const Device where = device.value_or(self.device());
  const SymGeometry geometry = sym_geometry_of(self);
  const SymSizes strides = strides_for_format(geometry.sizes, geometry.strides,
                                              memory_format.value_or(MemoryFormat::Preserve));
  if (self.is_fake() || makes_fake(where))
    return make_fake(geometry.sizes, strides, 0, element, where);
  const PlainSizes plain_sizes("empty_like", geometry.sizes, where);
  const PlainSizes plain_strides("empty_like", strides, where);
  if (is_to_pin("empty_like", pin_memory, where)) [[unlikely]]
    return make_empty_pinned(plain_sizes, plain_strides, element);
  return make_empty_strided(plain_sizes, plain_strides, element, where);
}

Tensor full_all_devices(std::span<const SymInt> size, const Scalar& fill_value,
                        const std::optional<DType>& dtype, const std::optional<Layout>& layout,
                        const std::optional<Device>& device,
                        const std::optional<bool>& pin_memory) {
  Tensor result =
      empty(size, dtype.value_or(dtype_of_number(fill_value)), layout, device, pin_memory);
  result.fill_(fill_value);
  return result;
}

Tensor zeros_all_devices(std::span<const SymInt> size, const std::optional<DType>& dtype,
                         const std::optional<Layout>& layout, const std::optional<Device>& device,
                         const std::optional<bool>& pin_memory) {
  Tensor result = empty(size, dtype, layout, device, pin_memory);
  result.zero_();
  return result;
}

Tensor ones_all_devices(std::span<const SymInt> size, const std::optional<DType>& dtype,
                        const std::optional<Layout>& layout, const std::optional<Device>& device,
                        const std::optional<bool>& pin_memory) {
  return full(size, 1, dtype.value_or(kDefaultFloat), layout, device, pin_memory);
}

Tensor full_like_all_devices(const Tensor& self, const Scalar& fill_value,
                             const std::optional<DType>& dtype, const std::optional<Layout>& layout,
                             const std::optional<Device>& device,
                             const std::optional<bool>& pin_memory,
                             const std::optional<MemoryFormat>& memory_format) {
  Tensor result = empty_like(self, dtype, layout, device, pin_memory, memory_format);
  result.fill_(fill_value);
  return result;
}

Tensor zeros_like_all_devices(const Tensor& self, const std::optional<DType>& dtype,
                              const std::optional<Layout>& layout,
                              const std::optional<Device>& device,
                              const std::optional<bool>& pin_memory,
                              const std::optional<MemoryFormat>& memory_format) {
  Tensor result = empty_like(self, dtype, layout, device, pin_memory, memory_format);
  result.zero_();
  return result;
}

Tensor ones_like_all_devices(const Tensor& self, const std::optional<DType>& dtype,
                             const std::optional<Layout>& layout,
                             const std::optional<Device>& device,
                             const std::optional<bool>& pin_memory,
                             const std::optional<MemoryFormat>& memory_format) {
  return full_like(self, 1, dtype, layout, device, pin_memory, memory_format);
}

Tensor scalar_tensor_all_devices(const Scalar& s, const std::optional<DType>& dtype,
                                 const std::optional<Layout>& /*layout*/,
                                 const std::optional<Device>& device,
                                 const std::optional<bool>& pin_memory) {
  const Device where = device.value_or(kCpu);
  if (makes_fake(where))
    return make_fake(std::span<const int64_t>(), dtype.value_or(kDefaultFloat), where);
  if (is_to_pin("scalar_tensor", pin_memory, where)) [[unlikely]]
    return make_empty_pinned({}, {}, dtype.value_or(kDefaultFloat)).fill_(s);
  return make_scalar_tensor(s, dtype.value_or(kDefaultFloat), where);
}

Tensor new_empty_all_devices(const Tensor& self, std::span<const SymInt> size,
                             const std::optional<DType>& dtype, const std::optional<Layout>& layout,
                             const std::optional<Device>& device,
                             const std::optional<bool>& pin_memory) {
  return empty(size, dtype.value_or(self.dtype()), layout, device.value_or(self.device()),
               pin_memory);
}

Tensor new_empty_strided_all_devices(const Tensor& self, std::span<const SymInt> size,
                                     std::span<const SymInt> stride,
                                     const std::optional<DType>& dtype,
                                     const std::optional<Layout>& layout,
                                     const std::optional<Device>& device,
                                     const std::optional<bool>& pin_memory) {
  return empty_strided(size, stride, dtype.value_or(self.dtype()), layout,
                       device.value_or(self.device()), pin_memory);
}

Tensor new_full_all_devices(const Tensor& self, std::span<const SymInt> size,
                            const Scalar& fill_value, const std::optional<DType>& dtype,
                            const std::optional<Layout>& layout,
                            const std::optional<Device>& device,
                            const std::optional<bool>& pin_memory) {
  return full(size, fill_value, dtype.value_or(self.dtype()), layout,
              device.value_or(self.device()), pin_memory);
}

Tensor new_zeros_all_devices(const Tensor& self, std::span<const SymInt> size,
                             const std::optional<DType>& dtype, const std::optional<Layout>& layout,
                             const std::optional<Device>& device,
                             const std::optional<bool>& pin_memory) {
  return zeros(size, dtype.value_or(self.dtype()), layout, device.value_or(self.device()),
               pin_memory);
}

Tensor new_ones_all_devices(const Tensor& self, std::span<const SymInt> size,
                            const std::optional<DType>& dtype, const std::optional<Layout>& layout,
                            const std::optional<Device>& device,
                            const std::optional<bool>& pin_memory) {
  return ones(size, dtype.value_or(self.dtype()), layout, device.value_or(self.device()),
              pin_memory);
}

}  // namespace opwright
