// std, and the forms of var and std that are composites of others.
#include <cmath>
#include <optional>
#include <tuple>

#include "opwright/functions.h"
#include "opwright/ops/engine/reduction/reduction.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/reduction/moments.h"

namespace opwright {
namespace {

// The square root of the variance.
template <class F, class T>
struct DeviationLoops : MomentLoops<F, T> {
  static void finish(std::byte* results, int64_t* /*indices*/, const Moments<T>* states,
                     int64_t count, const FoldNumbers& numbers) {
    auto* out = reinterpret_cast<RealOf<T>*>(results);
    const double left = static_cast<double>(numbers.count) - numbers.correction;
    const double divisor = left > 0 && numbers.count > 0 ? left : 0.0;
    for (int64_t i = 0; i < count; ++i)
      out[i] = static_cast<RealOf<T>>(std::sqrt(states[i].deviations / divisor));
  }
};

template <class AnyTensor>
AnyTensor deviation_of(const AnyTensor& self, const OptionalDims& dim,
                       const std::optional<Scalar>& correction, bool keepdim) {
  return reduce(self, {.who = "std",
                       .kernels = &kFolds<Variance, InexactTypes, DeviationLoops>,
                       .fold = "var",
                       .takes = "floating and complex dtypes",
                       .folded = fold_dims("std", self.dim(), dim),
                       .keepdim = keepdim,
                       .compute = self.dtype(),
                       .result = real_dtype(self.dtype()),
                       .correction = correction ? correction->to<double>() : 1.0,
                       .takes_root = true});
}

// The form that the functions accept.
OptionalIntList list_of(const OptionalDims& dim) {
  if (!dim) return std::nullopt;
  return IntList(*dim);
}

std::optional<Scalar> correction_for(bool unbiased) { return Scalar(unbiased ? 1 : 0); }

}  // namespace

using Pair = std::tuple<Tensor, Tensor>;
using OptionalScalar = std::optional<Scalar>;

Tensor std_correction_all_devices(const Tensor& self, OptionalDims dim,
                                  const OptionalScalar& correction, bool keepdim) {
  return deviation_of(self, dim, correction, keepdim);
}
FakeTensor std_correction_fake(const FakeTensor& self, OptionalDims dim,
                               const OptionalScalar& correction, bool keepdim) {
  return deviation_of(self, dim, correction, keepdim);
}

Tensor std_dim_composite(const Tensor& self, OptionalDims dim, bool unbiased, bool keepdim) {
  return opwright::std(self, list_of(dim), correction_for(unbiased), keepdim);
}
Tensor std_composite(const Tensor& self, bool unbiased) {
  return opwright::std(self, std::nullopt, correction_for(unbiased), false);
}
Tensor var_composite(const Tensor& self, bool unbiased) {
  return var(self, std::nullopt, correction_for(unbiased), false);
}

Pair var_mean_correction_all_devices(const Tensor& self, OptionalDims dim,
                                     const OptionalScalar& correction, bool keepdim) {
  return {var(self, list_of(dim), correction, keepdim), mean(self, list_of(dim), keepdim)};
}
Pair var_mean_dim_composite(const Tensor& self, OptionalDims dim, bool unbiased, bool keepdim) {
  return var_mean(self, list_of(dim), correction_for(unbiased), keepdim);
}
Pair var_mean_composite(const Tensor& self, bool unbiased) {
  return var_mean(self, std::nullopt, correction_for(unbiased), false);
}

Pair std_mean_correction_all_devices(const Tensor& self, OptionalDims dim,
                                     const OptionalScalar& correction, bool keepdim) {
  return {opwright::std(self, list_of(dim), correction, keepdim),
          mean(self, list_of(dim), keepdim)};
}
Pair std_mean_dim_composite(const Tensor& self, OptionalDims dim, bool unbiased, bool keepdim) {
  return std_mean(self, list_of(dim), correction_for(unbiased), keepdim);
}
Pair std_mean_composite(const Tensor& self, bool unbiased) {
  return std_mean(self, std::nullopt, correction_for(unbiased), false);
}

}  // namespace opwright
