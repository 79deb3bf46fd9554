#include "opwright/transforms/functionalize/shared_memory.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/overlap.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

using Kind = MemoryShare::Kind;

SymGeometry geometry_of_holder(const TensorImpl& holder) {
  if (holder.symbolic) {
    const auto& shape = *holder.symbolic;
    return {.sizes = SymSizes(shape.sizes.begin(), shape.sizes.end()),
            .strides = SymSizes(shape.strides.begin(), shape.strides.end()),
            .offset = shape.offset};
  }
  return {.sizes = SymSizes(holder.shape().begin(), holder.shape().end()),
          .strides = SymSizes(holder.strides().begin(), holder.strides().end()),
          .offset = holder.storage_offset};
}

bool has_memory(const TensorImpl& holder) {
  return holder.storage->kind != Storage::Kind::Fake && holder.storage->data &&
         holder.dl.device.type == kOpwDeviceCpu && !holder.symbolic;
}

struct ByteRange {
  const std::byte* begin;
  const std::byte* end;
};
// None if there are no elements.
std::optional<ByteRange> byte_range(const TensorImpl& holder) {
  const std::optional<Extent> extent = find_extent(holder.shape(), holder.strides());
  if (!extent || extent->is_empty) return std::nullopt;
  const auto item = static_cast<int64_t>(item_size(holder.dtype()));
  const auto* first = static_cast<const std::byte*>(holder.dl.data);
  return ByteRange{first + extent->lowest * item, first + (extent->highest + 1) * item};
}

// For two storages: memory that was imported twice.
MemoryShare compare_addresses(const TensorImpl& whole, const TensorImpl& part, bool is_symbolic) {
  if (!has_memory(whole) || !has_memory(part)) return {};
  const auto a = byte_range(whole);
  const auto b = byte_range(part);
  if (!a || !b || a->end <= b->begin || b->end <= a->begin) return {};
  MemoryShare shared{.kind = Kind::Conflict};
  const auto item = static_cast<int64_t>(item_size(whole.dtype()));
  const int64_t bytes =
      static_cast<const std::byte*>(part.dl.data) - static_cast<const std::byte*>(whole.dl.data);
  if (whole.dtype() != part.dtype() || bytes % item != 0 || is_symbolic) return shared;
  SymGeometry moved = geometry_of_holder(part);
  moved.offset = SymInt(whole.storage_offset + bytes / item);
  if (!covers(geometry_of_holder(whole), moved)) return shared;
  return {.kind = Kind::Part, .offset = bytes / item};
}

}  // namespace

MemoryShare find_shared_memory(const FunctionalStorage& storage, const Tensor& tensor,
                               const Tensor& value) {
  const TensorImpl& whole = storage_holder(impl(storage.source));
  const TensorImpl& part = storage_holder(impl(tensor));
  if (whole.storage != part.storage) {
    const bool may_share = whole.storage->kind == Storage::Kind::Foreign ||
                           part.storage->kind == Storage::Kind::Foreign;
    return may_share ? compare_addresses(whole, part, value.is_symbolic()) : MemoryShare{};
  }
  const bool is_symbolic = whole.symbolic || part.symbolic;
  if (!is_symbolic && overlap(whole, part) == Overlap::None) return {};
  // A transform in between may show other dimensions than the memory has.
  const bool shows_memory = value.dim() == part.dl.ndim && storage.first.dim() == whole.dl.ndim;
  if (!shows_memory || whole.dtype() != part.dtype() ||
      !covers(geometry_of_holder(whole), geometry_of_holder(part)))
    return {.kind = Kind::Conflict};
  return {.kind = Kind::Part,
          .offset = sym_geometry_of(value).offset - sym_geometry_of(storage.first).offset};
}

std::vector<size_t> order_by_extent(std::span<const Tensor> tensors) {
  std::vector<size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto length = [&](size_t index) -> int64_t {
    const TensorImpl& holder = storage_holder(impl(tensors[index]));
    const auto extent = find_extent(holder.shape(), holder.strides());
    return holder.symbolic || !extent ? 0 : extent->length();
  };
  // Few tensors share a storage: each is compared with earlier, smaller ones.
  for (size_t i = 1; i < order.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const Storage& storage = storage_of(tensors[order[i]]);
      const Storage& other = storage_of(tensors[order[k]]);
      const bool is_shared = &storage == &other || storage.kind == Storage::Kind::Foreign ||
                             other.kind == Storage::Kind::Foreign;
      if (is_shared && length(order[i]) > length(order[k])) std::swap(order[i], order[k]);
    }
  }
  return order;
}

}  // namespace opwright
