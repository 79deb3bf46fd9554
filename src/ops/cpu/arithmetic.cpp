// add, sub, mul, div and their in-place forms.
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/cpu/binary.h"
#include "opwright/ops/in_place.h"
#include "opwright/ops/promotion.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

DType common_dtype(const Operand& a, const Operand& b) {
  if (a.is_tensor() && b.is_tensor()) return result_dtype(a.tensor(), b.tensor());
  return a.is_tensor() ? result_dtype(a.tensor(), b.number())
                       : result_dtype(b.tensor(), a.number());
}

bool is_bool(const Operand& operand) {
  return operand.is_tensor() ? operand.tensor().dtype() == DType::Bool : operand.number().is_bool();
}

// The functions. Each checks its operands for the common dtype and gives the dtype of the result.
class Sum {
 public:
  explicit Sum(const char* who, const Scalar& alpha) : who_(who), alpha_(alpha) {}

  [[nodiscard]] DType result_dtype_of(const Operand& /*a*/, const Operand& /*b*/,
                                      DType common) const {
    OPWRIGHT_CHECK_TYPE(!alpha_.is_bool() || common == DType::Bool, who_,
                        ": alpha may be a bool for bool tensors only, got ", alpha_, " for ",
                        common);
    OPWRIGHT_CHECK_TYPE(
        is_floating(common) || is_complex(common) || !(alpha_.is_floating() || alpha_.is_complex()),
        who_, ": alpha must be an int for tensors of ", common, ", got ", alpha_);
    OPWRIGHT_CHECK_TYPE(is_complex(common) || !alpha_.is_complex(), who_,
                        ": alpha must be real for tensors of ", common, ", got ", alpha_);
    return common;
  }
  void compute(const Tensor& output, const Operand& a, const Operand& b) const {
    for_dtype(output.dtype(), who_, [&]<typename T>() {
      using C = ComputeType<T>;
      const C alpha = number_as<C>(alpha_);
      if (alpha == C(1))
        return apply_operands<T, T>(output, a, b, [](C x, C y) { return wrap_add(x, y); });
      apply_operands<T, T>(output, a, b,
                           [alpha](C x, C y) { return wrap_add(x, wrap_mul(alpha, y)); });
    });
  }

 private:
  const char* who_;
  Scalar alpha_;
};

class Difference {
 public:
  explicit Difference(const char* who, const Scalar& alpha)
      : who_(who), alpha_(alpha), sum_(who, alpha) {}

  [[nodiscard]] DType result_dtype_of(const Operand& a, const Operand& b, DType common) const {
    OPWRIGHT_CHECK(!is_bool(a) && !is_bool(b), who_,
                   ": bool tensors cannot be subtracted; use logical_xor or logical_not");
    return sum_.result_dtype_of(a, b, common);
  }
  void compute(const Tensor& output, const Operand& a, const Operand& b) const {
    for_dtype(output.dtype(), who_, [&]<typename T>() {
      using C = ComputeType<T>;
      const C alpha = number_as<C>(alpha_);
      if (alpha == C(1))
        return apply_operands<T, T>(output, a, b, [](C x, C y) { return wrap_sub(x, y); });
      apply_operands<T, T>(output, a, b,
                           [alpha](C x, C y) { return wrap_sub(x, wrap_mul(alpha, y)); });
    });
  }

 private:
  const char* who_;
  Scalar alpha_;
  Sum sum_;  // has the same demands on alpha
};

class Product {
 public:
  [[nodiscard]] DType result_dtype_of(const Operand& /*a*/, const Operand& /*b*/,
                                      DType common) const {
    return common;
  }
  void compute(const Tensor& output, const Operand& a, const Operand& b) const {
    for_dtype(output.dtype(), "mul", [&]<typename T>() {
      using C = ComputeType<T>;
      apply_operands<T, T>(output, a, b, [](C x, C y) { return wrap_mul(x, y); });
    });
  }
};

class Quotient {
 public:
  [[nodiscard]] DType result_dtype_of(const Operand& /*a*/, const Operand& /*b*/,
                                      DType common) const {
    return inexact_dtype(common);
  }
  void compute(const Tensor& output, const Operand& a, const Operand& b) const {
    for_inexact_dtype(output.dtype(), "div", [&]<typename T>() {
      using C = ComputeType<T>;
      apply_operands<T, T>(output, a, b, [](C x, C y) { return divide(x, y); });
    });
  }
};

template <class Function>
Tensor compute_new(const char* who, const Operand& a, const Operand& b, const Function& function) {
  const DType dtype = function.result_dtype_of(a, b, common_dtype(a, b));
  const Operand x = a.converted_to(dtype);
  const Operand y = b.converted_to(dtype);
  Tensor output = make_binary_output(who, x, y, dtype);
  function.compute(output, x, y);
  return output;
}

template <class Function>
Tensor& compute_in_place(const char* who, Tensor& self, const Operand& other,
                         const Function& function) {
  if (other.is_tensor()) check_expands(who, "other", other.tensor(), self);
  const DType dtype = function.result_dtype_of(self, other, common_dtype(self, other));
  check_storable(who, dtype, self);
  check_writable(who, self);
  if (dtype == self.dtype()) {
    function.compute(self, self, other);
  } else {
    const Tensor result = make_empty(self.sizes(), dtype);
    function.compute(result, self, other);
    copy_elements(self, result);
  }
  return self;
}

}  // namespace

Tensor add_cpu(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  return compute_new("add", self, other, Sum("add", alpha));
}
Tensor add_scalar_cpu(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  return compute_new("add", self, other, Sum("add", alpha));
}
Tensor& add_in_place_cpu(Tensor& self, const Tensor& other, const Scalar& alpha) {
  return compute_in_place("add_", self, other, Sum("add_", alpha));
}
Tensor& add_scalar_in_place_cpu(Tensor& self, const Scalar& other, const Scalar& alpha) {
  return compute_in_place("add_", self, other, Sum("add_", alpha));
}

Tensor sub_cpu(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  return compute_new("sub", self, other, Difference("sub", alpha));
}
Tensor sub_scalar_cpu(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  return compute_new("sub", self, other, Difference("sub", alpha));
}
Tensor& sub_in_place_cpu(Tensor& self, const Tensor& other, const Scalar& alpha) {
  return compute_in_place("sub_", self, other, Difference("sub_", alpha));
}
Tensor& sub_scalar_in_place_cpu(Tensor& self, const Scalar& other, const Scalar& alpha) {
  return compute_in_place("sub_", self, other, Difference("sub_", alpha));
}
Tensor rsub_scalar_cpu(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  return compute_new("rsub", other, self, Difference("rsub", alpha));
}

Tensor mul_cpu(const Tensor& self, const Tensor& other) {
  return compute_new("mul", self, other, Product());
}
Tensor mul_scalar_cpu(const Tensor& self, const Scalar& other) {
  return compute_new("mul", self, other, Product());
}
Tensor& mul_in_place_cpu(Tensor& self, const Tensor& other) {
  return compute_in_place("mul_", self, other, Product());
}
Tensor& mul_scalar_in_place_cpu(Tensor& self, const Scalar& other) {
  return compute_in_place("mul_", self, other, Product());
}

Tensor div_cpu(const Tensor& self, const Tensor& other) {
  return compute_new("div", self, other, Quotient());
}
Tensor div_scalar_cpu(const Tensor& self, const Scalar& other) {
  return compute_new("div", self, other, Quotient());
}
Tensor& div_in_place_cpu(Tensor& self, const Tensor& other) {
  return compute_in_place("div_", self, other, Quotient());
}
Tensor& div_scalar_in_place_cpu(Tensor& self, const Scalar& other) {
  return compute_in_place("div_", self, other, Quotient());
}

}  // namespace opwright
