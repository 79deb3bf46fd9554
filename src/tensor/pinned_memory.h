// Pinned memory of the cpu: a device copies from and to it without waiting.
//
// It is given by the first device that has such memory: cuda, then opencl, then the others in the
// order of their registration.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/dtype.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// Uninitialised, on the cpu. RuntimeError where no device pins memory; ValueError as make_empty has
// it.
[[nodiscard]] Tensor make_empty_pinned(std::span<const int64_t> sizes,
                                       std::span<const int64_t> strides, DType dtype);

// Whether the memory came from make_empty_pinned.
[[nodiscard]] OPWRIGHT_EXPORT bool is_pinned(const Tensor& tensor);

}  // namespace opwright
