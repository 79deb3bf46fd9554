#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/dlpack/dlpack.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

constexpr int32_t kDlCudaHost = 3;
constexpr int32_t kDlRocmHost = 11;

template <class Managed>
void call_deleter(void* managed) {
  auto* self = static_cast<Managed*>(managed);
  if (self->deleter) self->deleter(self);
}

// Owns the struct until a storage does.
template <class Managed>
class ManagedGuard {
 public:
  explicit ManagedGuard(Managed* managed) : managed_(managed) {}
  ~ManagedGuard() {
    if (managed_) call_deleter<Managed>(managed_);
  }
  ManagedGuard(const ManagedGuard&) = delete;
  ManagedGuard& operator=(const ManagedGuard&) = delete;
  Managed* give() { return std::exchange(managed_, nullptr); }

 private:
  Managed* managed_;
};

DType checked_dtype(OpwDtype dtype) {
  OPWRIGHT_CHECK_TYPE(dtype.lanes == 1, "from_dlpack: vector elements are not supported, got ",
                      dtype.lanes, " lanes");
  OPWRIGHT_CHECK_TYPE(is_known(from_dlpack(dtype)), "from_dlpack: no dtype has DLPack's code ",
                      dtype.code, " with ", dtype.bits, " bits");
  return from_dlpack(dtype);
}

Device checked_device(OpwDevice device) {
  if (device.type == kDlCudaHost || device.type == kDlRocmHost) return kCpu;
  OPWRIGHT_CHECK_VALUE(device.index >= 0,
                       "from_dlpack: the device index must not be negative, got ", device.index);
  OPWRIGHT_CHECK_VALUE(find_device_name(device.type) && device.type != kOpwDeviceMeta,
                       "from_dlpack: memory on DLPack's device type ", device.type,
                       " cannot be used here");
  return device.type == kOpwDeviceCpu ? kCpu : Device(device);
}

// The checked contents of a DLTensor.
struct Imported {
  DType dtype;
  Device device;
  Sizes sizes;
  Sizes strides;
  void* data;
};

// The address of the first element; checks that every element is inside the address space.
void* checked_data(const OpwDlTensor& dl, const Imported& imported) {
  const std::optional<Extent> extent = find_extent(imported.sizes, imported.strides);
  const size_t item = item_size(imported.dtype);
  std::optional<int64_t> below;
  std::optional<int64_t> above;
  if (extent) {
    below = bytes_of(-extent->lowest, item);
    above = bytes_of(extent->highest + 1, item);
  }
  OPWRIGHT_CHECK_VALUE(below && above, "from_dlpack: sizes ", to_text(imported.sizes),
                       " with strides ", to_text(imported.strides), " have more than 2^62 bytes");
  if (extent->is_empty) return dl.data;
  OPWRIGHT_CHECK_VALUE(dl.data, "from_dlpack: the data pointer of a ", imported.dtype,
                       to_text(imported.sizes), " tensor is null");
  uintptr_t address = 0;
  uintptr_t end = 0;
  const bool is_inside =
      !__builtin_add_overflow(reinterpret_cast<uintptr_t>(dl.data), dl.byte_offset, &address) &&
      address >= static_cast<uintptr_t>(*below) &&
      !__builtin_add_overflow(address, static_cast<uintptr_t>(*above), &end);
  OPWRIGHT_CHECK_VALUE(is_inside, "from_dlpack: sizes ", to_text(imported.sizes), " with strides ",
                       to_text(imported.strides), " reach outside of the address space");
  const size_t alignment = is_complex(imported.dtype) ? item / 2 : item;
  OPWRIGHT_CHECK_VALUE(address % alignment == 0, "from_dlpack: the data of a ", imported.dtype,
                       " tensor must be aligned to ", alignment,
                       " bytes; copy it on the producer's side first");
  return reinterpret_cast<void*>(address);
}

Imported checked(const OpwDlTensor& dl) {
  Imported imported{.dtype = checked_dtype(dl.dtype),
                    .device = checked_device(dl.device),
                    .sizes = {},
                    .strides = {},
                    .data = nullptr};
  OPWRIGHT_CHECK_VALUE(dl.ndim >= 0 && dl.ndim <= kMostDims, "from_dlpack: a tensor has 0 to ",
                       kMostDims, " dimensions, got ", dl.ndim);
  OPWRIGHT_CHECK_VALUE(dl.ndim == 0 || dl.shape, "from_dlpack: the shape of a tensor of ", dl.ndim,
                       " dimensions is null");
  const auto ndim = static_cast<size_t>(dl.ndim);
  imported.sizes.append(dl.shape, dl.shape + ndim);
  check_sizes(imported.sizes, "from_dlpack");
  imported.strides =
      dl.strides ? Sizes(dl.strides, dl.strides + ndim) : contiguous_strides(imported.sizes);
  imported.data = checked_data(dl, imported);
  return imported;
}

template <class Managed>
Tensor import_memory(Managed* managed, ManagedGuard<Managed>& guard) {
  const Imported imported = checked(managed->dl_tensor);
  return make_from_memory(imported.data, imported.sizes, imported.strides, imported.dtype,
                          imported.device, &call_deleter<Managed>, guard.give());
}

}  // namespace

Tensor from_dlpack(DlManagedTensor* managed) {
  OPWRIGHT_CHECK_VALUE(managed, "from_dlpack: the tensor is null");
  ManagedGuard guard(managed);
  return import_memory(managed, guard);
}

Tensor from_dlpack(DlManagedTensorVersioned* managed) {
  OPWRIGHT_CHECK_VALUE(managed, "from_dlpack: the tensor is null");
  ManagedGuard guard(managed);
  OPWRIGHT_CHECK_KIND("BufferError", managed->version.major == kDlVersion.major,
                      "from_dlpack: DLPack version ", managed->version.major, ".",
                      managed->version.minor, " is not supported; export with version 1.x");
  const bool is_read_only = (managed->flags & kDlFlagReadOnly) != 0;
  Tensor tensor = import_memory(managed, guard);
  if (is_read_only) {
    impl(tensor).storage->is_read_only = true;
    impl(tensor).flags |= kOpwFlagReadOnly;
  }
  return tensor;
}

}  // namespace opwright
