#include "opwright/ops/cpu/binary.h"

#include "opwright/for_dtype.h"
#include "opwright/ops/elementwise_shape.h"
#include "opwright/symbolic/sizes.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

template <class T>
Scalar read_number(const Tensor& tensor) {
  const T value = *tensor.data<T>();
  if constexpr (kIsHalf<T>)
    return static_cast<float>(value);
  else
    return value;
}

}  // namespace

Operand Operand::converted_to(DType dtype) const {
  if (!is_tensor() || tensor().dim() == 0 || tensor().dtype() == dtype) return *this;
  Operand operand = *this;
  operand.converted_ = as_dtype(tensor(), dtype);
  return operand;
}

Operand Operand::as_number_if_zero_dim() const {
  if (!is_tensor() || tensor().dim() != 0 || tensor().dtype() == DType::UInt64) return *this;
  return for_dtype(tensor().dtype(), "a zero-dim operand",
                   [&]<typename T>() { return Operand(read_number<T>(tensor())); });
}

Tensor make_binary_output(const char* who, const Operand& a, const Operand& b, DType dtype) {
  if (!a.is_tensor() || !b.is_tensor()) {
    const Tensor& tensor = a.is_tensor() ? a.tensor() : b.tensor();
    return make_empty_strided(tensor.sizes(), elementwise_strides(tensor.sizes(), {&tensor}, true),
                              dtype);
  }
  const Sizes sizes = broadcast_sizes(a.tensor().sizes(), b.tensor().sizes(), who);
  return make_empty_strided(sizes, elementwise_strides(sizes, {&a.tensor(), &b.tensor()}), dtype);
}

}  // namespace opwright
