// eq.
#include "opwright/for_dtype.h"
#include "opwright/ops/cpu/binary.h"
#include "opwright/ops/promotion.h"

namespace opwright {
namespace {

Tensor compute_eq(const Operand& self, const Operand& other, DType common) {
  const Operand a = self.converted_to(common);
  const Operand b = other.converted_to(common);
  Tensor output = make_binary_output("eq", a, b, DType::Bool);
  for_dtype(common, "eq", [&]<typename T>() {
    using C = ComputeType<T>;
    // A number is rounded to the dtype, so that it equals itself there.
    apply_operands<bool, T, T>(output, a, b, [](C x, C y) { return x == y; });
  });
  return output;
}

}  // namespace

Tensor eq_cpu(const Tensor& self, const Tensor& other) {
  return compute_eq(self, other, result_dtype(self, other));
}
Tensor eq_scalar_cpu(const Tensor& self, const Scalar& other) {
  return compute_eq(self, other, result_dtype(self, other));
}

}  // namespace opwright
