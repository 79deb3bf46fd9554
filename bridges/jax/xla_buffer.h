// XLA's buffers as tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bridges/jax/xla_ffi.h"
#include "bridges/operators/view_tensor.h"
#include "opwright/dtype.h"

namespace opwright::jax_bridge {

// TypeError for a type that no tensor can have.
[[nodiscard]] DType read_dtype(XlaDType dtype);

[[nodiscard]] inline std::span<const int64_t> sizes_of(const XlaBuffer& buffer) {
  return {buffer.dims, static_cast<size_t>(buffer.rank)};
}

// A View over a buffer.
class XlaTensor : public bridges::ViewTensor {
 public:
  XlaTensor(const XlaBuffer& buffer, Use use)
      : ViewTensor(buffer.data, read_dtype(buffer.dtype), sizes_of(buffer), use) {}
};

}  // namespace opwright::jax_bridge
