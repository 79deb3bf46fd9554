// The result of a norm: in the memory format of its input, channels last or first.
#pragma once

#include "opwright/functions.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/tensor/memory_format.h"

namespace opwright {

// Converts the contiguous `computed` to the dtype and memory format of `input`.
[[nodiscard]] inline Tensor in_format_of(const Tensor& input, const Tensor& computed) {
  const MemoryFormat format = input.is_contiguous()
                                  ? MemoryFormat::Contiguous
                                  : suggest_memory_format(input.sizes(), input.strides());
  if (format == MemoryFormat::Contiguous) return as_dtype(computed, input.dtype());
  Tensor output = make_empty(input.sizes(), input.dtype(), kCpu, format);
  copy_elements(output, computed);
  return output;
}

[[nodiscard]] inline FakeTensor in_format_of(const FakeTensor& input) {
  const SymSizes sizes{SymSizes(input.sizes())};
  const SymSizes strides{SymSizes(input.strides())};
  const MemoryFormat format = is_contiguous(sizes, strides, MemoryFormat::Contiguous)
                                  ? MemoryFormat::Contiguous
                                  : suggest_memory_format(sizes, strides);
  return make_fake_like(input, sizes, contiguous_strides(sizes, format), input.dtype());
}

}  // namespace opwright
