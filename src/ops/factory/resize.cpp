// resize_ and resize_as_: change the sizes of a tensor in place.
//
// The memory is kept if it suffices. Otherwise the tensor gets new memory with the old content;
// views that share the old memory keep it, because the addresses of their elements cannot change.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/device/stream.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr const char* kResize = "resize_";

bool are_same(std::span<const SymInt> a, std::span<const SymInt> b) {
  return std::ranges::equal(a, b, [](const SymInt& x, const SymInt& y) {
    return x.word() == y.word() || guard_or_false(x == y);
  });
}

// A tensor of these sizes over the memory of `self`, or over new memory with its bytes.
Tensor find_memory(const Tensor& self, std::span<const int64_t> sizes,
                   std::span<const int64_t> strides) {
  const Storage& storage = *impl(self).storage;
  const int64_t offset = impl(self).storage_offset;
  const int64_t numel = product(sizes);
  const auto item = static_cast<int64_t>(item_size(self.dtype()));
  const bool suffices = numel == 0 || offset + numel <= static_cast<int64_t>(storage.nbytes) / item;
  if (suffices) return make_view(self, sizes, strides, offset);
  OPWRIGHT_CHECK(storage.kind != Storage::Kind::Foreign, kResize, ": self (", self,
                 ") lies in memory of another owner, which cannot grow to sizes ", to_text(sizes),
                 "; clone() gives a tensor that can");
  const Tensor memory = make_empty(IntList{offset + numel}, self.dtype(), self.device());
  if (storage.nbytes != 0)
    copy_bytes(memory.mutable_data(), self.device(), storage.data, self.device(), storage.nbytes);
  return make_view(memory, sizes, strides, offset);
}

// The version goes on from that of the old memory.
void show_resized(const Tensor& self, const Tensor& resized) {
  const uint64_t version = impl(self).storage->current_version();
  replace_contents(impl(self), impl(resized));
  impl(self).storage->version.store(version + 1, std::memory_order_release);
}

}  // namespace

Tensor& resize_all_devices(Tensor& self, std::span<const SymInt> size,
                           const std::optional<MemoryFormat>& memory_format) {
  const MemoryFormat format = memory_format.value_or(MemoryFormat::Contiguous);
  OPWRIGHT_CHECK_VALUE(format != MemoryFormat::Preserve,
                       "resize_: memory_format cannot be preserve_format");
  for (const SymInt& each : size) {
    OPWRIGHT_CHECK_VALUE(guard_or_true(each >= 0), kResize, ": a size must not be negative, got ",
                         to_text(size));
  }
  const SymGeometry geometry = sym_geometry_of(self);
  if (!memory_format && are_same(geometry.sizes, size)) return self;
  const SymSizes strides = contiguous_strides(size, format);
  if (self.is_fake()) {
    const Tensor resized = make_fake(size, strides, geometry.offset, self.dtype(), self.device());
    show_resized(self, resized);
    return self;
  }
  const auto sizes = as_plain(size);
  OPWRIGHT_CHECK_VALUE(sizes.has_value(), kResize, ": a tensor on ", self.device(),
                       " cannot have the symbolic sizes ", to_text(size));
  (void)self.mutable_data();  // rejects a read-only tensor
  const Tensor resized = find_memory(self, *sizes, *as_plain(strides));
  show_resized(self, resized);
  return self;
}

Tensor& resize_as_in_place_composite(Tensor& self, const Tensor& the_template,
                                     const std::optional<MemoryFormat>& memory_format) {
  const bool is_like_template = memory_format == MemoryFormat::Preserve;
  return self.resize_(sym_geometry_of(the_template).sizes,
                      is_like_template ? suggest_memory_format(the_template) : memory_format);
}

}  // namespace opwright
