#include "opwright/ops/convolution/convolution_shape.h"

#include "opwright/dtype.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

MemoryFormat format_of(const Tensor& tensor) {
  if (tensor.dim() != 3) return suggest_memory_format(tensor);
  const SymGeometry geometry = sym_geometry_of(tensor);
  const SymSizes& sizes = geometry.sizes;
  const SymSizes& strides = geometry.strides;
  return suggest_memory_format(SymSizes{sizes[0], sizes[1], 1, sizes[2]},
                               SymSizes{strides[0], strides[1], sizes[2] * strides[2], strides[2]});
}

bool is_contiguous(const Tensor& tensor) {
  const SymGeometry geometry = sym_geometry_of(tensor);
  return is_contiguous(geometry.sizes, geometry.strides, MemoryFormat::Contiguous);
}

template <class Int>
SmallVector<Int, kInlineDims> strides_of_format(std::span<const Int> sizes, MemoryFormat format) {
  if (format == MemoryFormat::Contiguous || sizes.size() != 3)
    return contiguous_strides(sizes, format);
  return {sizes[1] * sizes[2], Int(1), sizes[1]};
}

}  // namespace

MemoryFormat convolution_format(const Tensor& input, const Tensor& weight) {
  const DType dtype = input.dtype();
  if (input.dim() == 5 && dtype != DType::Float32 && dtype != DType::BFloat16)
    return MemoryFormat::Contiguous;
  // 1-d inputs with another dimension order are made contiguous.
  const bool keeps_order = input.dim() != 3 || is_contiguous(input);
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
