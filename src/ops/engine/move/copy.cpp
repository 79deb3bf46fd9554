#include "opwright/ops/engine/move/copy.h"

#include <algorithm>

#include "opwright/ops/engine/cpu/conversion.h"
#include "opwright/ops/engine/cpu/strided_loop.h"
#include "opwright/ops/engine/move/transposed_copy.h"
#include "opwright/ops/engine/shape/in_place.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/memory_format.h"

namespace opwright {

void copy_elements(const Tensor& target, const Tensor& source) {
  const ConversionFunction convert = find_conversion(target.dtype(), source.dtype());
  const auto item = [](const Tensor& tensor) {
    return static_cast<int64_t>(item_size(tensor.dtype()));
  };
  if (target.is_contiguous() && source.is_contiguous() &&
      std::ranges::equal(target.sizes(), source.sizes())) {
    auto* to = static_cast<std::byte*>(target.mutable_data());
    const auto* from = static_cast<const std::byte*>(source.data());
    return parallel_for(target.numel(), kElementwiseGrain, [&](int64_t begin, int64_t end) {
      convert(to + begin * item(target), item(target), from + begin * item(source), item(source),
              end - begin);
    });
  }
  const StridedLoop loop({&target, &source});
  if (target.dtype() == source.dtype() &&
      (copy_transposed(loop, item(target)) || copy_interleaved(loop, item(target))))
    return;
  loop.for_each_run([convert](const StridedLoop::Pointers& pointers,
                              const StridedLoop::ByteStrides& strides, int64_t count) {
    convert(pointers[0], strides[0], pointers[1], strides[1], count);
  });
}

Tensor as_dtype(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  const Sizes strides =
      strides_for_format(tensor.sizes(), tensor.strides(), MemoryFormat::Preserve);
  Tensor copy = make_empty_strided(tensor.sizes(), strides, dtype);
  copy_elements(copy, tensor);
  return copy;
}

Tensor as_contiguous(const Tensor& tensor) {
  if (tensor.is_contiguous()) return tensor;
  Tensor copy = make_empty(tensor.sizes(), tensor.dtype());
  copy_elements(copy, tensor);
  return copy;
}

Tensor& copy_cpu(Tensor& self, const Tensor& src, bool /*non_blocking*/) {
  check_expands("copy_", "src", src, self);
  check_writable("copy_", self);
  copy_elements(self, src);
  return self;
}

}  // namespace opwright
