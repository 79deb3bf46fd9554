// Pinned cpu memory: a device copies from and to it without waiting.
//
// It comes from the first device that has such memory: cuda, then opencl, then the others in order
// of registration.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/dtype.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// Uninitialised, on the cpu. Throws RuntimeError if no device pins memory, ValueError like
// make_empty.
[[nodiscard]] Tensor make_empty_pinned(std::span<const int64_t> sizes,
                                       std::span<const int64_t> strides, DType dtype);

// Whether the memory came from make_empty_pinned.
[[nodiscard]] OPWRIGHT_EXPORT bool is_pinned(const Tensor& tensor);

}  // namespace opwright
