// linalg_vector_norm: orders 1 and 2 have their own reductions, 0 and infinities use sums and
// extrema, others use powers.
#include <cmath>
#include <optional>

#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/reduction/reduction.h"
#include "opwright/ops/engine/reduction/reduction_kernel.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/reduction/extremum.h"

namespace opwright {
namespace {

constexpr const char* kVectorNorm = "linalg_vector_norm";

template <class T>
OPWRIGHT_INLINE T magnitude(T x) {
  return x < T(0) ? -x : x;
}

template <class T>
struct SumOfTerms {
  OPWRIGHT_INLINE static T identity() { return T(0); }
  OPWRIGHT_INLINE static T merge(T a, T b) { return a + b; }
  static T finish(T sum, const FoldNumbers& /*numbers*/) { return sum; }
};
template <class T>
struct SumOfMagnitudes : SumOfTerms<T> {
  OPWRIGHT_INLINE static T step(T sum, T x) { return sum + magnitude(x); }
};
template <class T>
struct RootOfSquares : SumOfTerms<T> {
  OPWRIGHT_INLINE static T step(T sum, T x) { return sum + x * x; }
  static T finish(T sum, const FoldNumbers& /*numbers*/) { return std::sqrt(sum); }
};
// What is reduced: elements or, for an order without its own reduction, a function of them.
template <class AnyTensor>
AnyTensor folded_elements(const AnyTensor& self, double order, DType compute) {
  if (order == 0) return self.ne(Scalar(0)).to(compute);
  return std::isinf(order) ? self.to(compute).abs() : self;
}
// The device's name for the reduction.
const char* fold_of(double order) {
  if (std::isinf(order)) return order > 0 ? "max" : "min";
  return order == 1 || order == 2 ? "norm" : "sum";
}
const FoldTable* find_fold(double order) {
  if (order == 0 || order == 1) return &kFolds<SumOfMagnitudes, FloatTypes>;
  if (order == 2) return &kFolds<RootOfSquares, FloatTypes>;
  if (!std::isinf(order)) return nullptr;
  return order > 0 ? &kFolds<Largest, OrderedTypes> : &kFolds<Smallest, OrderedTypes>;
}

Reduction describe_norm(const FoldTable* kernels, double order, int64_t ndim,
                        const OptionalDims& dim, bool keepdim, DType compute, DType result) {
  return {.who = kVectorNorm,
          .kernels = kernels,
          .fold = fold_of(order),
          .takes = "floating and complex dtypes",
          .folded = fold_dims(kVectorNorm, ndim, dim),
          .keepdim = keepdim,
          .compute = compute,
          .result = result,
          .needs_elements = order < 0 || std::isinf(order),
          .order = order};
}

template <class AnyTensor>
AnyTensor vector_norm(const AnyTensor& self, const Scalar& ord, const OptionalDims& dim,
                      bool keepdim, const std::optional<DType>& dtype) {
  OPWRIGHT_CHECK_TYPE(!ord.is_complex(), kVectorNorm, ": ord must be a real number, got ", ord);
  const double order = ord.to<double>();
  const DType given = dtype.value_or(self.dtype());
  for (const DType each : {self.dtype(), given})
    OPWRIGHT_CHECK_TYPE(is_floating(each) || is_complex(each), kVectorNorm, ": ",
                        dtype == each ? "dtype" : "self", " must be floating or complex, got ",
                        each, "; convert self first");
  OPWRIGHT_CHECK_TYPE(
      is_complex(given) == is_complex(self.dtype()) && promote_dtypes(given, self.dtype()) == given,
      kVectorNorm, ": self of ", self.dtype(), " loses numbers in ", given,
      "; give a dtype of the same kind that is as wide");
  const DType result = real_dtype(given);
  if (is_complex(given)) {
    const AnyTensor magnitudes = self.to(given).abs();
    return vector_norm(magnitudes, ord, dim, keepdim, std::nullopt);
  }
  if (const FoldTable* fold = find_fold(order))
    return reduce(folded_elements(self, order, given),
                  describe_norm(fold, order, self.dim(), dim, keepdim, given, result));
  const DType wide = given == DType::Float64 ? given : DType::Float32;
  const AnyTensor powers = self.to(wide).abs().pow(Scalar(order));
  return reduce(powers, describe_norm(&kFolds<SumOfMagnitudes, FloatTypes>, order, self.dim(), dim,
                                      keepdim, wide, wide))
      .pow(Scalar(1.0 / order))
      .to(result);
}

}  // namespace

Tensor linalg_vector_norm_all_devices(const Tensor& self, const Scalar& ord, OptionalDims dim,
                                      bool keepdim, const std::optional<DType>& dtype) {
  return vector_norm(self, ord, dim, keepdim, dtype);
}
FakeTensor linalg_vector_norm_fake(const FakeTensor& self, const Scalar& ord, OptionalDims dim,
                                   bool keepdim, const std::optional<DType>& dtype) {
  return vector_norm(self, ord, dim, keepdim, dtype);
}

}  // namespace opwright
