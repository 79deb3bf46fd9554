// DLPack: tensors to and from other frameworks without a copy.
//
// The managed structs are those of dlpack.h 1.x, ABI-identical; a tensor inside them is the
// OpwDlTensor of c_api.h. Importing takes ownership of the struct: its deleter is called exactly
// once, when the last tensor on the memory is destroyed, or before the import throws.
#pragma once

#include <cstdint>
#include <optional>

#include "opwright/c_api.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// The form before version 1: it cannot mark memory as read-only.
struct DlManagedTensor {
  OpwDlTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DlManagedTensor* self);  // null: nothing to free
};

struct DlVersion {
  uint32_t major;
  uint32_t minor;
};
inline constexpr DlVersion kDlVersion{.major = 1, .minor = 0};

inline constexpr uint64_t kDlFlagReadOnly = 1;
inline constexpr uint64_t kDlFlagIsCopied = 2;

// For another major version, only version, manager_ctx and deleter may be accessed.
struct DlManagedTensorVersioned {
  DlVersion version;
  void* manager_ctx;
  void (*deleter)(DlManagedTensorVersioned* self);
  uint64_t flags;
  OpwDlTensor dl_tensor;
};
static_assert(sizeof(DlManagedTensor) == 64 && sizeof(DlManagedTensorVersioned) == 80);

struct DlExport {
  // The consumer's stream, which then waits for the work queued so far; null is the device's
  // default stream. Not set: the consumer synchronises. Devices without streams ignore it.
  std::optional<OpwStream*> stream = std::nullopt;
  bool is_copied = false;  // the caller made the tensor for this export
};

// A new struct that keeps the memory until its deleter is called, on any thread. Throws BufferError
// for a tensor whose memory cannot be exported: fake, inside a transform, requiring grad or, in the
// form without version, read-only.
[[nodiscard]] OPWRIGHT_EXPORT DlManagedTensor* to_dlpack(const Tensor& tensor,
                                                         const DlExport& options = {});
[[nodiscard]] OPWRIGHT_EXPORT DlManagedTensorVersioned* to_dlpack_versioned(
    const Tensor& tensor, const DlExport& options = {});

// A tensor over the struct's memory; byte_offset is added to the data, missing strides are
// row-major, negative strides are kept. Pinned host memory (DLPack's CUDAHost and ROCMHost) is cpu
// memory. Elements must be aligned to their size (complex ones to that of a part): misaligned data
// is rejected, since reading it is undefined. Throws ValueError, TypeError for a dtype, BufferError
// for a version; each after calling the deleter.
[[nodiscard]] OPWRIGHT_EXPORT Tensor from_dlpack(DlManagedTensor* managed);
[[nodiscard]] OPWRIGHT_EXPORT Tensor from_dlpack(DlManagedTensorVersioned* managed);

}  // namespace opwright
