// eq, ne, lt, le, gt, ge.
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/cpu/binary.h"
#include "opwright/ops/promotion.h"

namespace opwright {
namespace {

// Which operand stands first: a > b is b < a.
enum class Order { AsGiven, Swapped };

// Two operands in their common dtype, and the output.
struct Comparison {
  Comparison(const char* name, const Operand& self, const Operand& other, DType dtype)
      : who(name),
        common(dtype),
        a(self.converted_to(dtype)),
        b(other.converted_to(dtype)),
        output(make_binary_output(name, a, b, DType::Bool)) {}

  const char* who;
  DType common;
  Operand a, b;
  Tensor output;
};

// A number is rounded to the dtype, so that it equals itself there.
template <class Compare>
Tensor compare_equality(const Comparison& comparison, const Compare& compare) {
  for_dtype(comparison.common, comparison.who, [&]<typename T>() {
    using C = ComputeType<T>;
    apply_operands<bool, T, T>(comparison.output, comparison.a, comparison.b,
                               [&compare](C x, C y) { return compare(x, y); });
  });
  return comparison.output;
}

template <class Compare>
Tensor compare_order(const Comparison& comparison, Order order, const Compare& compare) {
  OPWRIGHT_CHECK_TYPE(!is_complex(comparison.common), comparison.who,
                      ": complex numbers have no order, got ", comparison.common);
  const Operand& first = order == Order::AsGiven ? comparison.a : comparison.b;
  const Operand& second = order == Order::AsGiven ? comparison.b : comparison.a;
  for_dtype(comparison.common, comparison.who, [&]<typename T>() {
    if constexpr (!kIsComplex<T>) {
      using C = ComputeType<T>;
      apply_operands<bool, T, T>(comparison.output, first, second,
                                 [&compare](C x, C y) { return compare(x, y); });
    }
  });
  return comparison.output;
}

Tensor compute_eq(const Comparison& comparison) {
  return compare_equality(comparison, [](auto x, auto y) { return x == y; });
}
Tensor compute_ne(const Comparison& comparison) {
  return compare_equality(comparison, [](auto x, auto y) { return !(x == y); });
}
Tensor compute_less(const Comparison& comparison, Order order) {
  return compare_order(comparison, order, [](auto x, auto y) { return x < y; });
}
Tensor compute_less_equal(const Comparison& comparison, Order order) {
  return compare_order(comparison, order, [](auto x, auto y) { return x <= y; });
}

}  // namespace

Tensor eq_cpu(const Tensor& self, const Tensor& other) {
  return compute_eq({"eq", self, other, result_dtype(self, other)});
}
Tensor eq_scalar_cpu(const Tensor& self, const Scalar& other) {
  return compute_eq({"eq", self, other, result_dtype(self, other)});
}
Tensor ne_cpu(const Tensor& self, const Tensor& other) {
  return compute_ne({"ne", self, other, result_dtype(self, other)});
}
Tensor ne_scalar_cpu(const Tensor& self, const Scalar& other) {
  return compute_ne({"ne", self, other, result_dtype(self, other)});
}

Tensor lt_cpu(const Tensor& self, const Tensor& other) {
  return compute_less({"lt", self, other, result_dtype(self, other)}, Order::AsGiven);
}
Tensor lt_scalar_cpu(const Tensor& self, const Scalar& other) {
  return compute_less({"lt", self, other, result_dtype(self, other)}, Order::AsGiven);
}
Tensor gt_cpu(const Tensor& self, const Tensor& other) {
  return compute_less({"gt", self, other, result_dtype(self, other)}, Order::Swapped);
}
Tensor gt_scalar_cpu(const Tensor& self, const Scalar& other) {
  return compute_less({"gt", self, other, result_dtype(self, other)}, Order::Swapped);
}

Tensor le_cpu(const Tensor& self, const Tensor& other) {
  return compute_less_equal({"le", self, other, result_dtype(self, other)}, Order::AsGiven);
}
Tensor le_scalar_cpu(const Tensor& self, const Scalar& other) {
  return compute_less_equal({"le", self, other, result_dtype(self, other)}, Order::AsGiven);
}
Tensor ge_cpu(const Tensor& self, const Tensor& other) {
  return compute_less_equal({"ge", self, other, result_dtype(self, other)}, Order::Swapped);
}
Tensor ge_scalar_cpu(const Tensor& self, const Scalar& other) {
  return compute_less_equal({"ge", self, other, result_dtype(self, other)}, Order::Swapped);
}

}  // namespace opwright
