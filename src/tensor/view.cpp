#include "opwright/tensor/view.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/symbolic/shape_env/questions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symbolic/shape_env/value_finder.h"
#include "opwright/tensor.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

constexpr uint32_t kSharedFlags =
    kOpwDeviceBits | kOpwFlagFake | kOpwFlagReadOnly | kOpwFlagInference;

Tensor new_view(const TensorImpl& base, int32_t ndim) {
  OPWRIGHT_ASSERT(!base.is_wrapper());
  return Tensor::take(new_impl(StoragePtr::share(base.storage), base.dtype(), base.device(),
                               base.flags & kSharedFlags, ndim));
}

void check_bounds(const TensorImpl& base, std::span<const int64_t> sizes,
                  std::span<const int64_t> strides, int64_t offset) {
  OPWRIGHT_CHECK_VALUE(sizes.size() == strides.size(),
                       "view: there must be one stride for each size, got ", to_text(sizes),
                       " and ", to_text(strides));
  check_sizes(sizes, "view");
  const size_t nbytes = base.storage->nbytes;
  if (nbytes == kUnknownBytes) return;
  const auto elements = static_cast<int64_t>(nbytes / item_size(base.dtype()));
  const std::optional<Extent> extent = find_extent(sizes, strides);
  const bool fits =
      extent && offset >= 0 &&
      (extent->is_empty || (extent->lowest >= -offset && offset < elements - extent->highest));
  OPWRIGHT_CHECK_VALUE(fits, "view: sizes ", to_text(sizes), " with strides ", to_text(strides),
                       " from offset ", offset, " reach outside of a storage of ", elements,
                       " elements");
}

}  // namespace

Geometry geometry_of(const Tensor& tensor) {
  const TensorImpl& self = impl(tensor);
  OPWRIGHT_ASSERT(!self.symbolic);
  return {.sizes = Sizes(self.shape()),
          .strides = Sizes(self.strides()),
          .offset = self.storage_offset};
}

SymGeometry sym_geometry_of(const Tensor& tensor) {
  const TensorImpl& self = impl(tensor);
  SymGeometry geometry;
  if (self.symbolic) {
    geometry.sizes.append(self.symbolic->sizes.begin(), self.symbolic->sizes.end());
    geometry.strides.append(self.symbolic->strides.begin(), self.symbolic->strides.end());
    geometry.offset = self.symbolic->offset;
  } else {
    geometry.sizes.append(self.shape().begin(), self.shape().end());
    geometry.strides.append(self.strides().begin(), self.strides().end());
    geometry.offset = self.storage_offset;
  }
  return geometry;
}

bool has_sizes(const Tensor& tensor, std::span<const SymInt> sizes) {
  const SymSizes own = sym_geometry_of(tensor).sizes;
  return std::ranges::equal(own, sizes,
                            [](const SymInt& a, const SymInt& b) { return is_known_equal(a, b); });
}

bool has_strides(const Tensor& tensor, const SymGeometry& wanted) {
  for (size_t i = 0; i < wanted.sizes.size(); ++i) {
    const auto dim = static_cast<int64_t>(i);
    if (wanted.sizes[i].word() == 0) return true;
    if (wanted.sizes[i].word() != 1 && tensor.sym_stride(dim).word() != wanted.strides[i].word())
      return false;
  }
  return true;
}

Tensor make_view(const Tensor& base, std::span<const int64_t> sizes,
                 std::span<const int64_t> strides, int64_t offset) {
  const TensorImpl& from = impl(base);
  check_bounds(from, sizes, strides, offset);
  Tensor view = new_view(from, static_cast<int32_t>(std::min<size_t>(sizes.size(), INT32_MAX)));
  TensorImpl& made = impl(view);
  std::copy(sizes.begin(), sizes.end(), made.dl.shape);
  std::copy(strides.begin(), strides.end(), made.dl.strides);
  made.storage_offset = offset;
  if (from.storage->data) {
    made.dl.data = static_cast<std::byte*>(from.storage->data) +
                   offset * static_cast<int64_t>(item_size(from.dtype()));
  }
  return view;
}

Tensor make_view(const Tensor& base, std::span<const SymInt> sizes, std::span<const SymInt> strides,
                 const SymInt& offset) {
  const auto plain_sizes = as_plain(sizes);
  const auto plain_strides = as_plain(strides);
  if (plain_sizes && plain_strides && !offset.is_symbolic()) {
    return make_view(base, *plain_sizes, *plain_strides, offset.word());
  }
  const TensorImpl& from = impl(base);
  if (!(from.flags & kOpwFlagFake)) {
    const std::vector<SymInt> known_sizes = settled(sizes);
    const std::vector<SymInt> known_strides = settled(strides);
    const SymInt known_offset = settled(offset);
    if (as_plain(known_sizes) && as_plain(known_strides) && !known_offset.is_symbolic()) {
      return make_view(base, *as_plain(known_sizes), *as_plain(known_strides), known_offset.word());
    }
  }
  OPWRIGHT_CHECK_VALUE(from.flags & kOpwFlagFake,
                       "view: a tensor with memory cannot have the symbolic sizes ",
                       to_text(sizes));
  OPWRIGHT_CHECK_VALUE(sizes.size() == strides.size(),
                       "view: there must be one stride for each size, got ", to_text(sizes),
                       " and ", to_text(strides));
  Tensor view = new_view(from, 0);
  set_symbolic_shape(impl(view), sizes, strides, offset);
  return view;
}

Tensor make_view(const Tensor& base, const SymGeometry& geometry, DType dtype) {
  const Tensor renamed = make_view(base, sym_geometry_of(base));
  impl(renamed).dl.dtype = to_dlpack(dtype);
  return make_view(renamed, geometry);
}

}  // namespace opwright
