// Elementwise functions of two operands on the CPU: promotion, broadcasting, output, loop.
#pragma once

#include <optional>

#include "opwright/ops/cpu/apply.h"
#include "opwright/ops/cpu/copy.h"
#include "opwright/ops/cpu/numbers.h"
#include "opwright/ops/promotion.h"
#include "opwright/scalar.h"
#include "opwright/tensor.h"

namespace opwright {

// A tensor, or a number. A zero-dim tensor is read as a number, so that no half rounds it and the
// loop has it in a register.
class Operand {
 public:
  // NOLINTBEGIN(google-explicit-constructor): stands in for the argument
  Operand(const Tensor& tensor) : tensor_(&tensor) {}
  Operand(const Scalar& number) : number_(number) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool is_tensor() const { return !number_; }
  [[nodiscard]] const Tensor& tensor() const {
    return converted_.is_defined() ? converted_ : *tensor_;
  }
  [[nodiscard]] const Scalar& number() const { return *number_; }

  // A tensor with dimensions in this dtype; anything else as it is.
  [[nodiscard]] Operand converted_to(DType dtype) const;
  // The number of a zero-dim tensor in its place; for loops, after promotion. uint64 stays a
  // tensor: a Scalar does not hold all of it.
  [[nodiscard]] Operand as_number_if_zero_dim() const;

 private:
  const Tensor* tensor_ = nullptr;
  Tensor converted_;
  std::optional<Scalar> number_;
};

// An uninitialised output of the broadcast sizes, in the order of the operands' memory, which are
// converted to the dtype of the computation already. One at least is a tensor.
[[nodiscard]] Tensor make_binary_output(const char* who, const Operand& a, const Operand& b,
                                        DType dtype);

// output = op(a, b), where op takes ComputeType<T> and gives what converts to Out. Tensors are
// converted to T first, numbers to Number.
template <class Out, class T, class Number = ComputeType<T>, class Op>
void apply_operands(const Tensor& output, const Operand& first, const Operand& second,
                    const Op& op) {
  using C = ComputeType<T>;
  const Operand b = first.is_tensor() ? second.as_number_if_zero_dim() : second;
  const Operand a = b.is_tensor() ? first.as_number_if_zero_dim() : first;
  if (!b.is_tensor()) {
    const C y = static_cast<C>(number_as<Number>(b.number()));
    apply_unary<Out, T>(output, as_dtype(a.tensor(), dtype_of<T>()),
                        [&op, y](T x) { return static_cast<Out>(op(static_cast<C>(x), y)); });
  } else if (!a.is_tensor()) {
    const C x = static_cast<C>(number_as<Number>(a.number()));
    apply_unary<Out, T>(output, as_dtype(b.tensor(), dtype_of<T>()),
                        [&op, x](T y) { return static_cast<Out>(op(x, static_cast<C>(y))); });
  } else {
    apply_binary<Out, T>(
        output, as_dtype(a.tensor(), dtype_of<T>()), as_dtype(b.tensor(), dtype_of<T>()),
        [&op](T x, T y) { return static_cast<Out>(op(static_cast<C>(x), static_cast<C>(y))); });
  }
}

}  // namespace opwright
