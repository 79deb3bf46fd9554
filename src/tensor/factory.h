// New tensors: with memory of a device, over memory of somebody else, or without memory.
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

// Uninitialised and dense. On meta the tensor is a fake one. ValueError for a negative size or too
// many elements; MemoryError.
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_empty(std::span<const int64_t> sizes, DType dtype,
                                                Device device = kCpu,
                                                MemoryFormat format = MemoryFormat::Contiguous);
// Uninitialised; the storage is as long as the strides need, which are not negative.
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_empty_strided(std::span<const int64_t> sizes,
                                                        std::span<const int64_t> strides,
                                                        DType dtype, Device device = kCpu);

// A shape on `device` without memory and with a storage of its own. Nothing needs to run on the
// device.
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_fake(std::span<const SymInt> sizes,
                                               std::span<const SymInt> strides,
                                               const SymInt& offset, DType dtype, Device device);
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_fake(std::span<const SymInt> sizes, DType dtype,
                                               Device device);  // contiguous
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_fake(std::span<const int64_t> sizes, DType dtype,
                                               Device device);

// A tensor over foreign memory whose element [0, ..., 0] is at `data`; strides may be negative.
// `deleter`, if any, is called once with `context`: when the last tensor on the memory goes, or
// when this call throws.
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_from_memory(void* data, std::span<const int64_t> sizes,
                                                      std::span<const int64_t> strides, DType dtype,
                                                      Device device, Deleter deleter,
                                                      void* context);

// Zero dimensions, one element. A number that the dtype cannot hold is converted as C++ does.
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_scalar_tensor(const Scalar& value, DType dtype,
                                                        Device device = kCpu);

}  // namespace opwright
