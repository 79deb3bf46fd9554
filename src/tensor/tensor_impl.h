// TensorImpl: the core's tensor behind an OpwTensor.
//
// Sizes and strides of up to five dimensions are in the object itself, which is three cache lines
// of a cached block. A tensor may have a mirror, its unique object in the host language;
// kOpwCountHostBit of the count word says which one owns the other:
//   clear  the count includes one for the mirror, if there is one; `mirror` is a borrowed pointer
//   set    the tensor owns its mirror, and the count does not include it
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/level.h"
#include "opwright/tensor/storage.h"
#include "opwright/visibility.h"

namespace opwright {

inline constexpr int32_t kInlineTensorDims = 5;
inline constexpr int32_t kMostDims = 64;

// Autograd data at the tensor's level; the engine derives its own class.
struct OPWRIGHT_EXPORT AutogradMeta {
  AutogradMeta() = default;
  AutogradMeta(const AutogradMeta&) = delete;
  AutogradMeta& operator=(const AutogradMeta&) = delete;
  virtual ~AutogradMeta() = default;
  // The name of the node that computed the tensor ("MulBackward0"); empty: a leaf.
  [[nodiscard]] virtual std::string node_name() const = 0;
};

// Sizes, strides and offset of a tensor, at least one of which is a symbol.
struct SymbolicShape {
  std::vector<SymInt> sizes;
  std::vector<SymInt> strides;
  SymInt offset;
};

// In addition to the flags of c_api.h: a view that knows its base, from which its history may
// follow.
inline constexpr uint32_t kFlagHasBase = 1u << 24;
// The flags that belong to the tensor object, not to its contents.
inline constexpr uint32_t kAutogradFlags = kOpwFlagRequiresGrad | kFlagHasBase;

struct TensorImpl : OpwTensor {
  Storage* storage;         // owned; null in most wrappers, which use the wrapped tensor's storage
                            // (storage_of)
  int64_t storage_offset;   // in elements; 0 if it is a symbol
  Level* level;             // owned; the transform that made this wrapper; null: plain or fake
  AutogradMeta* autograd;   // owned; null until needed
  SymbolicShape* symbolic;  // owned; not null exactly with kOpwFlagSymbolic
  void* mirror;             // read and written only with the GIL held
  int64_t dims[2 * kInlineTensorDims];  // shape, then strides; more dimensions are on the heap

  [[nodiscard]] std::span<int64_t> shape() noexcept {
    return {dl.shape, static_cast<size_t>(dl.ndim)};
  }
  [[nodiscard]] std::span<const int64_t> shape() const noexcept {
    return {dl.shape, static_cast<size_t>(dl.ndim)};
  }
  [[nodiscard]] std::span<int64_t> strides() noexcept {
    return {dl.strides, static_cast<size_t>(dl.ndim)};
  }
  [[nodiscard]] std::span<const int64_t> strides() const noexcept {
    return {dl.strides, static_cast<size_t>(dl.ndim)};
  }
  [[nodiscard]] DType dtype() const noexcept { return from_dlpack(dl.dtype); }
  [[nodiscard]] Device device() const noexcept { return dl.device; }
  [[nodiscard]] bool is_wrapper() const noexcept { return (flags & kOpwFlagWrapped) != 0; }
};
static_assert(sizeof(TensorImpl) == 192);

// The functions of the language that mirrors tensors. May be called without the GIL.
struct MirrorTable {
  // The tensor owns its mirror and the last handle was dropped: takes over that count.
  void (*last_handle_dropped)(TensorImpl* tensor);
};
// Call before the first mirror is set; the table is never freed.
OPWRIGHT_EXPORT void set_mirror_table(const MirrorTable& table) noexcept;

// The core's own table; wrappers have a second one (tensor/wrapper.h).
OPWRIGHT_EXPORT extern const OpwTensorTable kCoreTensorTable;
OPWRIGHT_EXPORT extern const OpwTensorTable kWrapperTensorTable;

// The tensor behind a handle of the core, also if the handle is a View. Throws ValueError for an
// undefined one.
OPWRIGHT_EXPORT TensorImpl& impl_slow(OpwTensor* tensor);
inline TensorImpl& impl(OpwTensor* tensor) {
  const bool is_ours =
      tensor && (tensor->owner == &kCoreTensorTable || tensor->owner == &kWrapperTensorTable);
  return is_ours ? static_cast<TensorImpl&>(*tensor) : impl_slow(tensor);
}
inline TensorImpl& impl(const TensorHandle& tensor) { return impl(tensor.get()); }
[[nodiscard]] inline bool is_on_cpu(const Tensor& tensor) {
  return tensor.device().type == kOpwDeviceCpu;
}

// A plain tensor with a count of 1, without sizes: the caller sets dims and, in `dl`, data. Takes
// ownership of the storage.
TensorImpl* new_impl(StoragePtr storage, DType dtype, Device device, uint32_t flags, int32_t ndim);

// Makes room for `ndim` sizes and strides, without setting their values. Throws ValueError above
// kMostDims.
void set_ndim(TensorImpl& tensor, int32_t ndim);
// Sets sizes, strides and offset, symbolic or plain, and updates `symbolic` and its flag. For
// tensors without memory.
void set_symbolic_shape(TensorImpl& tensor, std::span<const SymInt> sizes,
                        std::span<const SymInt> strides, const SymInt& offset);

// Makes `target` show what `source` shows: storage, sizes, dtype, device, flags. Handles, mirror
// and autograd data (with RequiresGrad) of the target stay. A target that is a wrapper becomes
// plain; `source` is not one.
void replace_contents(TensorImpl& target, const TensorImpl& source);

// Frees the block and everything that the tensor owns; for the owner tables and the mirror's
// language.
void destroy_contents(TensorImpl& tensor) noexcept;
void destroy_tensor(TensorImpl* tensor) noexcept;

}  // namespace opwright
