// Checks on the operands of products. Shared by real and fake kernels: AnyTensor is Tensor or
// FakeTensor, whose sizes may be symbolic.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "opwright/error.h"
#include "opwright/fake_tensor.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"

namespace opwright {

template <class AnyTensor>
using SizeOf = decltype(std::declval<const AnyTensor&>().size(0));

inline std::string sizes_text(const Tensor& tensor) { return to_text(tensor.sizes()); }
inline std::string sizes_text(const FakeTensor& tensor) {
  return to_text(std::span<const SymInt>(tensor.sizes()));
}

template <class AnyTensor>
void check_dims(const char* who, const char* argument, const AnyTensor& tensor, int64_t ndim) {
  OPWRIGHT_CHECK(tensor.dim() == ndim, who, ": ", argument, " must have ", ndim,
                 ndim == 1 ? " dimension" : " dimensions", ", got sizes ", sizes_text(tensor));
}

template <class AnyTensor>
void check_factors(const char* who, const AnyTensor& a, const AnyTensor& b, int64_t dim_of_a,
                   int64_t dim_of_b) {
  OPWRIGHT_CHECK_TYPE(a.dtype() == b.dtype(), who, ": both operands must have one dtype, got ",
                      a.dtype(), " and ", b.dtype());
  OPWRIGHT_CHECK_TYPE(a.dtype() != DType::Bool, who, ": bool matrices cannot be multiplied");
  OPWRIGHT_DEMAND(a.size(dim_of_a) == b.size(dim_of_b), who, ": sizes ", sizes_text(a), " and ",
                  sizes_text(b), " cannot be multiplied: ", a.size(dim_of_a), " against ",
                  b.size(dim_of_b));
}

// Checks the tensor added to a product.
inline void check_addend(const char* who, DType self, DType product) {
  OPWRIGHT_CHECK_TYPE(self == product, who, ": self must have the dtype of the operands, got ",
                      self, " and ", product);
}

// The result sizes of each kind of product.
template <class AnyTensor>
std::array<SizeOf<AnyTensor>, 2> matrix_sizes(const char* who, const char* left, const AnyTensor& a,
                                              const char* right, const AnyTensor& b) {
  check_dims(who, left, a, 2);
  check_dims(who, right, b, 2);
  check_factors(who, a, b, 1, 0);
  return {a.size(0), b.size(1)};
}
template <class AnyTensor>
std::array<SizeOf<AnyTensor>, 3> batch_sizes(const char* who, const char* left, const AnyTensor& a,
                                             const char* right, const AnyTensor& b) {
  check_dims(who, left, a, 3);
  check_dims(who, right, b, 3);
  OPWRIGHT_DEMAND(a.size(0) == b.size(0), who, ": ", left, " has ", a.size(0), " matrices and ",
                  right, " ", b.size(0));
  check_factors(who, a, b, 2, 1);
  return {a.size(0), a.size(1), b.size(2)};
}
template <class AnyTensor>
std::array<SizeOf<AnyTensor>, 1> vector_sizes(const char* who, const char* left, const AnyTensor& a,
                                              const AnyTensor& vec) {
  check_dims(who, left, a, 2);
  check_dims(who, "vec", vec, 1);
  check_factors(who, a, vec, 1, 0);
  return {a.size(0)};
}
template <class AnyTensor>
std::array<SizeOf<AnyTensor>, 0> dot_sizes(const char* who, const AnyTensor& a, const char* right,
                                           const AnyTensor& b) {
  check_dims(who, "self", a, 1);
  check_dims(who, right, b, 1);
  check_factors(who, a, b, 0, 0);
  return {};
}

}  // namespace opwright
