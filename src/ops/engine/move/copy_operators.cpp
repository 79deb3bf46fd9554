// Copies: between devices, of entire tensors, with another dtype or dimension order.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/move/device_copy.h"
#include "opwright/ops/engine/shape/in_place.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/device/stream.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/overlap.h"
#include "opwright/tensor/pinned_memory.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// The memory that a tensor spans, as a CPU tensor of the same sizes and strides: for devices
// without loops.
class CpuMirror {
 public:
  explicit CpuMirror(const Tensor& original) : original_(original) {
    if (original.device().type == kOpwDeviceCpu) {
      mirror_ = original;
      return;
    }
    const Extent extent = *find_extent(original.sizes(), original.strides());
    bytes_ = static_cast<size_t>(extent.length()) * item_size(original.dtype());
    before_ = extent.lowest * static_cast<int64_t>(item_size(original.dtype()));
    const Tensor memory = make_empty(IntList{extent.length()}, original.dtype());
    copy_bytes(memory.mutable_data(), kCpu,
               static_cast<const std::byte*>(original.data()) + before_, original.device(), bytes_);
    mirror_ = make_view(memory, original.sizes(), original.strides(), -extent.lowest);
  }

  [[nodiscard]] const Tensor& tensor() const { return mirror_; }

  // Copies what was written to the mirror back.
  void write_back() const {
    if (original_.device().type == kOpwDeviceCpu) return;
    copy_bytes(static_cast<std::byte*>(original_.mutable_data()) + before_, original_.device(),
               static_cast<const std::byte*>(mirror_.data()) + before_, kCpu, bytes_);
  }

 private:
  const Tensor& original_;
  Tensor mirror_;
  size_t bytes_ = 0;
  int64_t before_ = 0;  // 0 or below: offset of the lowest byte
};

// Whether the two have the same dense memory layout.
bool has_same_bytes(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !std::ranges::equal(a.sizes(), b.sizes())) return false;
  return (a.is_contiguous() && b.is_contiguous()) ||
         (std::ranges::equal(a.strides(), b.strides()) &&
          is_non_overlapping_and_dense(a.sizes(), a.strides()));
}

// Whether elements can be copied on the device of `target`.
bool can_copy_there(const Tensor& target, const Tensor& source) {
  return is_on_cpu(target) || can_copy_on_device(target, source);
}
void copy_there(const Tensor& target, const Tensor& source) {
  if (is_on_cpu(target))
    copy_elements(target, source);
  else
    copy_on_device(target, source);
}

// `source` itself if it is dense and has the dtype, else a converted copy on the same device.
Tensor as_dense(const Tensor& source, DType dtype) {
  if (source.is_contiguous() && source.dtype() == dtype) return source;
  Tensor dense = make_empty(source.sizes(), dtype, source.device());
  copy_there(dense, source);
  return dense;
}

// Transfers dense elements in the smaller dtype.
void copy_across(const Tensor& target, const Tensor& source) {
  const bool narrows = item_size(target.dtype()) < item_size(source.dtype());
  const Tensor given = as_dense(source, narrows ? target.dtype() : source.dtype());
  const bool fits = has_same_bytes(target, given);
  const Tensor taken = fits ? target : make_empty(given.sizes(), given.dtype(), target.device());
  copy_bytes(taken.mutable_data(), taken.device(), given.data(), given.device(),
             static_cast<size_t>(given.numel()) * item_size(given.dtype()));
  if (!fits) copy_there(target, taken);
}

void copy_by_mirrors(const Tensor& self, const Tensor& src) {
  const CpuMirror target(self);
  const CpuMirror source(src);
  copy_elements(target.tensor(), source.tensor());
  target.write_back();
}

// Whether two devices can exchange data only through the CPU.
bool are_strangers(Device a, Device b) {
  const auto is_neutral = [](Device device) {
    return device.type == kOpwDeviceCpu || device.type == kOpwDeviceMeta;
  };
  return a.type != b.type && !is_neutral(a) && !is_neutral(b);
}

bool is_tensor_in_format(const Tensor& self, MemoryFormat format) {
  if (!self.is_symbolic() && format == MemoryFormat::Contiguous) return self.is_contiguous();
  const SymGeometry geometry = sym_geometry_of(self);
  return is_contiguous(geometry.sizes, geometry.strides, format);
}

}  // namespace

// For a side that is not on the CPU and whose device has no copy_ kernel.
Tensor& copy_between_devices(Tensor& self, const Tensor& src, bool non_blocking) {
  if (self.is_fake()) {
    (void)expand_geometry<SymInt>(sym_geometry_of(src), sym_geometry_of(self).sizes, "copy_");
    return self;
  }
  check_expands("copy_", "src", src, self);
  check_writable("copy_", self);
  if (self.numel() == 0) return self;
  if (has_same_bytes(self, src)) {
    copy_bytes(self.mutable_data(), self.device(), src.data(), src.device(),
               static_cast<size_t>(self.numel()) * item_size(self.dtype()));
  } else if (!can_copy_there(self, src) || !can_copy_there(src, self)) {
    copy_by_mirrors(self, src);
  } else if (self.device() == src.device()) {
    copy_on_device(self, src);
  } else {
    copy_across(self, src);
  }
  // The transfer reads pinned memory later, while the caller may already write it.
  if (!non_blocking && is_pinned(src))
    synchronize_stream(self.device(), current_device_stream(self.device()));
  return self;
}

Tensor& fill_scalar_all_devices(Tensor& self, const Scalar& value) {
  if (self.is_fake()) return self;
  OPWRIGHT_CHECK_TYPE(!value.is_complex() || is_complex(self.dtype()), "fill_: the complex number ",
                      value, " cannot be stored in self of ", self.dtype());
  check_writable("fill_", self);
  if (can_fill_on_device(self))
    fill_on_device(self, value);
  else
    self.copy_(make_scalar_tensor(value, self.dtype()));
  return self;
}

Tensor& fill_tensor_all_devices(Tensor& self, const Tensor& value) {
  OPWRIGHT_CHECK(value.dim() == 0, "fill_: value must be a number or a zero-dim tensor, got ",
                 value);
  return self.copy_(value);
}

Tensor fill_new_scalar_all_devices(const Tensor& self, const Scalar& value) {
  Tensor result = empty_like(self);
  result.fill_(value);
  return result;
}

Tensor fill_new_tensor_all_devices(const Tensor& self, const Tensor& value) {
  Tensor result = empty_like(self);
  result.fill_(value);
  return result;
}

Tensor copy_new_all_devices(const Tensor& self, const Tensor& src, bool non_blocking) {
  const SymGeometry geometry = sym_geometry_of(self);
  const bool overlaps = has_internal_overlap(self);
  Tensor result =
      overlaps ? empty_like(self) : self.new_empty_strided(geometry.sizes, geometry.strides);
  result.copy_(src, non_blocking);
  return result;
}

Tensor& zero_all_devices(Tensor& self) {
  if (self.is_fake()) return self;
  self.fill_(0);
  return self;
}

Tensor zero_new_all_devices(const Tensor& self) { return zeros_like(self); }

Tensor clone_all_devices(const Tensor& self, const std::optional<MemoryFormat>& memory_format) {
  Tensor copy = empty_like(self, std::nullopt, std::nullopt, std::nullopt, std::nullopt,
                           memory_format.value_or(MemoryFormat::Preserve));
  copy.copy_(self);
  return copy;
}

Tensor lift_fresh_copy_all_devices(const Tensor& self) { return self.clone(); }

Tensor to_copy_all_devices(const Tensor& self, const std::optional<DType>& dtype,
                           const std::optional<Layout>& layout, const std::optional<Device>& device,
                           const std::optional<bool>& pin_memory, bool non_blocking,
                           const std::optional<MemoryFormat>& memory_format) {
  if (device && are_strangers(self.device(), *device))
    return _to_copy(_to_copy(self, std::nullopt, std::nullopt, kCpu), dtype, layout, device,
                    pin_memory, non_blocking, memory_format);
  Tensor copy = empty_like(self, dtype, layout, device, pin_memory,
                           memory_format.value_or(MemoryFormat::Preserve));
  copy.copy_(self, non_blocking);
  return copy;
}

Tensor contiguous_composite(const Tensor& self, MemoryFormat memory_format) {
  OPWRIGHT_CHECK_VALUE(
      memory_format != MemoryFormat::Preserve,
      "contiguous: memory_format must name an order of dimensions, got preserve_format");
  return is_tensor_in_format(self, memory_format) ? self : self.clone(memory_format);
}

Tensor to_dtype_layout_composite(const Tensor& self, const std::optional<DType>& dtype,
                                 const std::optional<Layout>& layout,
                                 const std::optional<Device>& device,
                                 const std::optional<bool>& pin_memory, bool non_blocking,
                                 bool copy, const std::optional<MemoryFormat>& memory_format) {
  const MemoryFormat format = memory_format.value_or(MemoryFormat::Preserve);
  const bool is_as_asked = (!dtype || *dtype == self.dtype()) &&
                           (!device || resolve_device(*device) == self.device()) &&
                           (format == MemoryFormat::Preserve || is_tensor_in_format(self, format));
  if (!copy && is_as_asked) return self;
  return _to_copy(self, dtype, layout, device, pin_memory, non_blocking, format);
}

Tensor to_dtype_composite(const Tensor& self, DType dtype, bool non_blocking, bool copy,
                          const std::optional<MemoryFormat>& memory_format) {
  return to_dtype_layout_composite(self, dtype, std::nullopt, std::nullopt, std::nullopt,
                                   non_blocking, copy, memory_format);
}

Tensor to_device_composite(const Tensor& self, Device device, DType dtype, bool non_blocking,
                           bool copy, const std::optional<MemoryFormat>& memory_format) {
  return to_dtype_layout_composite(self, dtype, std::nullopt, device, std::nullopt, non_blocking,
                                   copy, memory_format);
}

Tensor to_other_composite(const Tensor& self, const Tensor& other, bool non_blocking, bool copy,
                          const std::optional<MemoryFormat>& memory_format) {
  return to_device_composite(self, other.device(), other.dtype(), non_blocking, copy,
                             memory_format);
}

}  // namespace opwright
