#include "opwright/ops/matrix/convolution_shape.h"

#include "opwright/dtype.h"

namespace opwright {
namespace {

MemoryFormat format_of(const Tensor& tensor) {
  Sizes sizes(tensor.sizes());
  Sizes strides(tensor.strides());
  if (sizes.size() == 3) {
    sizes = {sizes[0], sizes[1], 1, sizes[2]};
    strides = {strides[0], strides[1], sizes[3] * strides[2], strides[2]};
  }
  return suggest_memory_format(sizes, strides);
}

template <class Int>
SmallVector<Int, kInlineDims> strides_of_format(std::span<const Int> sizes, MemoryFormat format) {
  if (format == MemoryFormat::Contiguous || sizes.size() != 3)
    return contiguous_strides(sizes, format);
  return {sizes[1] * sizes[2], Int(1), sizes[1]};
}

}  // namespace

MemoryFormat convolution_format(const Tensor& input, const Tensor& weight) {
  if (input.is_symbolic() || weight.is_symbolic()) return MemoryFormat::Contiguous;
  const DType dtype = input.dtype();
  if (input.dim() == 5 && dtype != DType::Float32 && dtype != DType::BFloat16)
    return MemoryFormat::Contiguous;
  // Rows of samples in another order are made contiguous.
  const bool keeps_order = input.dim() != 3 || input.is_contiguous();
  if (keeps_order && format_of(input) != MemoryFormat::Contiguous) return format_of(input);
  return format_of(weight);
}

SymSizes convolution_strides(std::span<const SymInt> sizes, MemoryFormat format) {
  return strides_of_format(sizes, format);
}
Sizes convolution_strides(std::span<const int64_t> sizes, MemoryFormat format) {
  return strides_of_format(sizes, format);
}

}  // namespace opwright
