// Creates tensors: with device memory, over foreign memory, or without memory.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/memory_format.h"
#include "opwright/scalar.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/storage.h"
#include "opwright/visibility.h"

namespace opwright {

// Uninitialised and dense. On meta the tensor is fake. Throws ValueError for a negative size or too
// many elements, and MemoryError.
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_empty(std::span<const int64_t> sizes, DType dtype,
                                                Device device = kCpu,
                                                MemoryFormat format = MemoryFormat::Contiguous);
// Uninitialised; the storage is as long as the strides require; they are not negative.
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_empty_strided(std::span<const int64_t> sizes,
                                                        std::span<const int64_t> strides,
                                                        DType dtype, Device device = kCpu);

// A shape on `device` without memory and with its own storage. Nothing needs to be registered for
// the device.
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_fake(std::span<const SymInt> sizes,
                                               std::span<const SymInt> strides,
                                               const SymInt& offset, DType dtype, Device device);
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_fake(std::span<const SymInt> sizes, DType dtype,
                                               Device device);  // contiguous
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_fake(std::span<const int64_t> sizes, DType dtype,
                                               Device device);

// A tensor over foreign memory whose element [0, ..., 0] is at `data`; strides may be negative.
// `deleter`, if any, is called once with `context`: when the last tensor on the memory is
// destroyed, or when this call throws.
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_from_memory(void* data, std::span<const int64_t> sizes,
                                                      std::span<const int64_t> strides, DType dtype,
                                                      Device device, Deleter deleter,
                                                      void* context);

// Zero dimensions, one element. A number out of the dtype's range is converted as in C++.
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_scalar_tensor(const Scalar& value, DType dtype,
                                                        Device device = kCpu);

}  // namespace opwright
