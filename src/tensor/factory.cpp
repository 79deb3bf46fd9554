#include "opwright/tensor/factory.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "opwright/base/thread_state.h"
#include "opwright/c_api.h"
#include "opwright/complex.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/memory_format.h"
#include "opwright/scalar.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/device/stream.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

[[noreturn, gnu::cold]] void throw_too_large(const char* who, std::span<const int64_t> sizes,
                                             DType dtype) {
  check_sizes(sizes, who);
  throw_error("ValueError", who, ": a ", dtype, " tensor of sizes ", to_text(sizes),
              " has more than 2^62 bytes");
}

// The bytes that the strides reach from the offset on.
size_t needed_bytes(const char* who, std::span<const int64_t> sizes,
                    std::span<const int64_t> strides, int64_t offset, DType dtype) {
  OPWRIGHT_CHECK_VALUE(sizes.size() == strides.size(), who,
                       ": there must be one stride for each size, got ", to_text(sizes), " and ",
                       to_text(strides));
  check_sizes(sizes, who);
  for (const int64_t stride : strides) {
    OPWRIGHT_CHECK_VALUE(stride >= 0, who, ": strides must not be negative, got ",
                         to_text(strides));
  }
  OPWRIGHT_CHECK_VALUE(offset >= 0, who, ": the offset must not be negative, got ", offset);
  const std::optional<Extent> extent = find_extent(sizes, strides);
  int64_t elements = 0;
  if (!extent || __builtin_add_overflow(extent->length(), offset, &elements))
    throw_too_large(who, sizes, dtype);
  if (extent->is_empty) return 0;
  const std::optional<int64_t> bytes = bytes_of(elements, item_size(dtype));
  if (!bytes) throw_too_large(who, sizes, dtype);
  return static_cast<size_t>(*bytes);
}

// Whether the strides are exactly those of a new tensor; also false if it is too large.
bool are_contiguous(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  constexpr int64_t kSmall = int64_t{1} << 40;
  if (sizes.size() != strides.size() || sizes.size() > kInlineTensorDims) return false;
  int64_t next = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (strides[i] != next || sizes[i] < 0 || sizes[i] > kSmall / next) return false;
    next *= std::max<int64_t>(sizes[i], 1);
  }
  return true;
}

// Flags of a tensor with its own storage.
uint32_t new_tensor_flags(Device device) {
  const uint32_t inference = thread_state().is_inference() ? kOpwFlagInference : 0;
  return device_bit(device.type) | inference;
}

int32_t ndim_of(size_t length) { return static_cast<int32_t>(std::min<size_t>(length, INT32_MAX)); }

std::span<const SymInt> as_checked_sym(std::span<const int64_t> ints) {
  for (const int64_t value : ints)
    OPWRIGHT_CHECK_VALUE(!is_symbolic(value), "the size ", value, " is below -2^62");
  return {reinterpret_cast<const SymInt*>(ints.data()),
          ints.size()};  // a plain int is its own word
}

Tensor make_strided(std::span<const int64_t> sizes, std::span<const int64_t> strides, size_t nbytes,
                    DType dtype, Device device) {
  if (device.type == kOpwDeviceMeta)
    return make_fake(as_checked_sym(sizes), as_checked_sym(strides), 0, dtype, device);
  const Device resolved = resolve_device(device);
  TensorImpl* tensor = new_impl(allocate_storage(nbytes, resolved), dtype, resolved,
                                new_tensor_flags(resolved), ndim_of(sizes.size()));
  std::copy(sizes.begin(), sizes.end(), tensor->dl.shape);
  std::copy(strides.begin(), strides.end(), tensor->dl.strides);
  tensor->dl.data = tensor->storage->data;
  return Tensor::take(tensor);
}

}  // namespace

Tensor make_empty(std::span<const int64_t> sizes, DType dtype, Device device, MemoryFormat format) {
  if (format != MemoryFormat::Contiguous || device.type != kOpwDeviceCpu ||
      sizes.size() > kInlineTensorDims) [[unlikely]] {
    OPWRIGHT_CHECK_VALUE(sizes.size() <= kMostDims, "empty: a tensor has at most ", kMostDims,
                         " dimensions, got ", sizes.size());
    const Sizes contiguous = contiguous_strides(sizes);
    const size_t nbytes = needed_bytes("empty", sizes, contiguous, 0, dtype);
    if (format == MemoryFormat::Contiguous || format == MemoryFormat::Preserve) {
      return make_strided(sizes, contiguous, nbytes, dtype, device);
    }
    return make_strided(sizes, contiguous_strides(sizes, format), nbytes, dtype, device);
  }
  std::array<int64_t, kInlineTensorDims> strides;
  int64_t next = 1;
  bool is_empty = false;
  bool overflows = false;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = next;
    if (sizes[i] < 0) [[unlikely]]
      throw_too_large("empty", sizes, dtype);
    overflows |= __builtin_mul_overflow(next, std::max<int64_t>(sizes[i], 1), &next);
    is_empty |= sizes[i] == 0;
  }
  int64_t nbytes = 0;
  overflows |= __builtin_mul_overflow(next, static_cast<int64_t>(item_size(dtype)), &nbytes) ||
               nbytes >> 62 != 0;
  if (overflows) [[unlikely]]
    throw_too_large("empty", sizes, dtype);
  const Device resolved = resolve_device(device);
  TensorImpl* tensor =
      new_impl(allocate_storage(is_empty ? 0 : static_cast<size_t>(nbytes), resolved), dtype,
               resolved, new_tensor_flags(kCpu), ndim_of(sizes.size()));
  for (size_t i = 0; i < sizes.size(); ++i) {
    tensor->dl.shape[i] = sizes[i];
    tensor->dl.strides[i] = strides[i];
  }
  tensor->dl.data = tensor->storage->data;
  return Tensor::take(tensor);
}

Tensor make_empty_strided(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                          DType dtype, Device device) {
  if (are_contiguous(sizes, strides)) [[likely]]
    return make_empty(sizes, dtype, device);
  return make_strided(sizes, strides, needed_bytes("empty_strided", sizes, strides, 0, dtype),
                      dtype, device);
}

namespace {

// A size that is negative in this run is an error; one that may be negative is checked at run time.
void check_not_negative(std::span<const SymInt> sizes) {
  for (const SymInt& size : sizes) {
    if (!size.is_symbolic()) continue;
    const SymBool holds = size >= 0;
    if (!holds.is_symbolic() && holds.value().word() != 0) [[likely]]
      continue;
    check(holds, concatenate("fake tensor: the size ", size, " is negative in ", to_text(sizes)));
  }
}

}  // namespace

Tensor make_fake(std::span<const SymInt> sizes, std::span<const SymInt> strides,
                 const SymInt& offset, DType dtype, Device device) {
  OPWRIGHT_CHECK_VALUE(sizes.size() == strides.size(),
                       "fake tensor: there must be one stride for each size, got ", to_text(sizes),
                       " and ", to_text(strides));
  const auto plain_sizes = as_plain(sizes);
  const auto plain_strides = as_plain(strides);
  size_t nbytes = kUnknownBytes;
  if (plain_sizes && plain_strides && !offset.is_symbolic()) {
    nbytes = needed_bytes("fake tensor", *plain_sizes, *plain_strides, offset.word(), dtype);
  } else {
    check_not_negative(sizes);
  }
  const Device resolved = resolve_device(device);
  const uint32_t flags = new_tensor_flags(resolved) | kOpwFlagFake;
  TensorImpl* tensor = new_impl(make_fake_storage(nbytes, resolved), dtype, resolved, flags, 0);
  Tensor owner = Tensor::take(tensor);
  set_symbolic_shape(*tensor, sizes, strides, offset);
  return owner;
}

Tensor make_fake(std::span<const SymInt> sizes, DType dtype, Device device) {
  return make_fake(sizes, contiguous_strides(sizes), 0, dtype, device);
}

Tensor make_fake(std::span<const int64_t> sizes, DType dtype, Device device) {
  return make_fake(as_checked_sym(sizes), dtype, device);
}

Tensor make_from_memory(void* data, std::span<const int64_t> sizes,
                        std::span<const int64_t> strides, DType dtype, Device device,
                        Deleter deleter, void* context) {
  std::optional<Extent> extent;
  std::optional<int64_t> bytes;
  Device resolved;
  uint32_t flags = 0;
  try {
    OPWRIGHT_CHECK_VALUE(sizes.size() == strides.size(),
                         "from_memory: there must be one stride for each size, got ",
                         to_text(sizes), " and ", to_text(strides));
    check_sizes(sizes, "from_memory");
    extent = find_extent(sizes, strides);
    if (extent) bytes = bytes_of(extent->length(), item_size(dtype));
    if (!bytes) throw_too_large("from_memory", sizes, dtype);
    OPWRIGHT_CHECK_VALUE(data || extent->is_empty, "from_memory: the data pointer of a ", dtype,
                         to_text(sizes), " tensor is null");
    OPWRIGHT_CHECK_VALUE(device.type != kOpwDeviceMeta, "from_memory: a meta tensor has no memory");
    resolved = resolve_device(device);
    flags = new_tensor_flags(resolved);
  } catch (...) {
    if (deleter) deleter(context);
    throw;
  }
  const int64_t before = extent->lowest * static_cast<int64_t>(item_size(dtype));  // 0 or negative
  void* lowest = data ? static_cast<std::byte*>(data) + before : nullptr;
  StoragePtr storage =
      adopt_storage(lowest, static_cast<size_t>(*bytes), resolved, deleter, context);
  TensorImpl* tensor = new_impl(std::move(storage), dtype, resolved, flags, ndim_of(sizes.size()));
  std::copy(sizes.begin(), sizes.end(), tensor->dl.shape);
  std::copy(strides.begin(), strides.end(), tensor->dl.strides);
  tensor->dl.data = data;
  tensor->storage_offset = -extent->lowest;
  return Tensor::take(tensor);
}

Tensor make_scalar_tensor(const Scalar& value, DType dtype, Device device) {
  Tensor tensor = make_empty({}, dtype, device);
  if (tensor.is_fake()) return tensor;
  for_dtype(dtype, "scalar_tensor", [&]<typename T>() {
    T element;
    if constexpr (std::is_same_v<T, bool>) {
      element =
          value.is_complex() ? value.complex_value() != Complex<double>() : value.to<double>() != 0;
    } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      element = T(value.to<float>());
    } else {
      element = value.to<T>();
    }
    copy_bytes(tensor.mutable_data(), tensor.device(), &element, kCpu, sizeof element);
  });
  return tensor;
}

}  // namespace opwright
