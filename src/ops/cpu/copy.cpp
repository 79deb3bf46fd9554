#include "opwright/ops/cpu/copy.h"

#include <cstdint>
#include <cstring>

#include "opwright/for_dtype.h"
#include "opwright/ops/cpu/apply.h"
#include "opwright/ops/cpu/numbers.h"
#include "opwright/ops/in_place.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/memory_format.h"

namespace opwright {
namespace {

// Elements of one dtype are moved as what has their size.
template <class Body>
void for_item_size(size_t bytes, const Body& body) {
  switch (bytes) {
    case 1:
      return body.template operator()<uint8_t>();
    case 2:
      return body.template operator()<uint16_t>();
    case 4:
      return body.template operator()<uint32_t>();
    case 8:
      return body.template operator()<uint64_t>();
    default:
      return body.template operator()<Complex<double>>();
  }
}

}  // namespace

void copy_elements(const Tensor& target, const Tensor& source) {
  if (target.dtype() == source.dtype()) {
    for_item_size(item_size(target.dtype()), [&]<typename T>() {
      apply_unary<T, T>(target, source, [](T value) { return value; });
    });
    return;
  }
  for_dtype(target.dtype(), "copy_", [&]<typename To>() {
    for_dtype(source.dtype(), "copy_", [&]<typename From>() {
      apply_unary<To, From>(target, source, &convert_number<To, From>);
    });
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
