// Tensor products on the CPU, before they are rounded to the dtype of the operands.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/dtype.h"
#include "opwright/scalar.h"
#include "opwright/tensor.h"

namespace opwright {

// float32 for halves, else the dtype itself.
[[nodiscard]] DType product_dtype(DType dtype);

// A contiguous product of `sizes`. The operands have one dtype, not bool, and compatible sizes: a
// matrix or a batch, times a matrix, a batch or a vector.
[[nodiscard]] Tensor multiply_tensors(const char* who, const Tensor& a, const Tensor& b,
                                      std::span<const int64_t> sizes);

// `product` = beta * addend + alpha * product in its own dtype; the addend broadcasts to it. If
// beta is 0 the addend is not read, if alpha is 0 the product is not.
void add_to_product(const char* who, const Tensor& product, const Tensor& addend,
                    const Scalar& beta, const Scalar& alpha);

}  // namespace opwright
