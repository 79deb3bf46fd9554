// bitwise_and, bitwise_or, bitwise_xor, bitwise_not: of ints, and of bools as truth values.
#include "opwright/for_dtype.h"
#include "opwright/ops/cpu/binary.h"
#include "opwright/ops/elementwise_shape.h"
#include "opwright/ops/promotion.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

template <class Body>
void for_discrete_dtype(DType dtype, const char* who, const Body& body) {
  if (dtype == DType::Bool) return body.template operator()<bool>();
  if (!is_integral(dtype)) throw_dtype(dtype, who, "bool and integral dtypes");
  for_integral_dtype(dtype, who, body);
}

template <class Function>
Tensor compute_bitwise(const char* who, const Operand& self, const Operand& other, DType common,
                       const Function& function) {
  const Operand a = self.converted_to(common);
  const Operand b = other.converted_to(common);
  Tensor output = make_binary_output(who, a, b, common);
  for_discrete_dtype(common, who, [&]<typename T>() {
    apply_operands<T, T>(output, a, b,
                         [&function](T x, T y) { return static_cast<T>(function(x, y)); });
  });
  return output;
}

Tensor compute_and(const Operand& self, const Operand& other, DType common) {
  return compute_bitwise("bitwise_and", self, other, common, [](auto x, auto y) { return x & y; });
}
Tensor compute_or(const Operand& self, const Operand& other, DType common) {
  return compute_bitwise("bitwise_or", self, other, common, [](auto x, auto y) { return x | y; });
}
Tensor compute_xor(const Operand& self, const Operand& other, DType common) {
  return compute_bitwise("bitwise_xor", self, other, common, [](auto x, auto y) { return x ^ y; });
}

}  // namespace

Tensor bitwise_and_cpu(const Tensor& self, const Tensor& other) {
  return compute_and(self, other, result_dtype(self, other));
}
Tensor bitwise_and_scalar_cpu(const Tensor& self, const Scalar& other) {
  return compute_and(self, other, result_dtype(self, other));
}
Tensor bitwise_or_cpu(const Tensor& self, const Tensor& other) {
  return compute_or(self, other, result_dtype(self, other));
}
Tensor bitwise_or_scalar_cpu(const Tensor& self, const Scalar& other) {
  return compute_or(self, other, result_dtype(self, other));
}
Tensor bitwise_xor_cpu(const Tensor& self, const Tensor& other) {
  return compute_xor(self, other, result_dtype(self, other));
}
Tensor bitwise_xor_scalar_cpu(const Tensor& self, const Scalar& other) {
  return compute_xor(self, other, result_dtype(self, other));
}

Tensor bitwise_not_cpu(const Tensor& self) {
  Tensor output =
      make_empty_strided(self.sizes(), elementwise_strides(self.sizes(), {&self}), self.dtype());
  for_discrete_dtype(self.dtype(), "bitwise_not", [&]<typename T>() {
    apply_unary<T, T>(output, self, [](T x) {
      if constexpr (kIsBool<T>)
        return !x;
      else
        return static_cast<T>(~x);
    });
  });
  return output;
}

}  // namespace opwright
