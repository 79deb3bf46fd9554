// var.
#include <optional>

#include "opwright/ops/engine/reduction/reduction.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/reduction/moments.h"

namespace opwright {
namespace {

template <class AnyTensor>
AnyTensor variance_of(const AnyTensor& self, const OptionalDims& dim, double correction,
                      bool keepdim) {
  return reduce(self, {.who = "var",
                       .kernels = &kFolds<Variance, InexactTypes, MomentLoops>,
                       .fold = "var",
                       .takes = "floating and complex dtypes",
                       .folded = fold_dims("var", self.dim(), dim),
                       .keepdim = keepdim,
                       .compute = self.dtype(),
                       .result = real_dtype(self.dtype()),
                       .correction = correction});
}

double correction_number(const std::optional<Scalar>& correction) {
  return correction ? correction->to<double>() : 1.0;
}

}  // namespace

Tensor var_dim_all_devices(const Tensor& self, OptionalDims dim, bool unbiased, bool keepdim) {
  return variance_of(self, dim, unbiased ? 1.0 : 0.0, keepdim);
}
FakeTensor var_dim_fake(const FakeTensor& self, OptionalDims dim, bool unbiased, bool keepdim) {
  return variance_of(self, dim, unbiased ? 1.0 : 0.0, keepdim);
}
Tensor var_correction_all_devices(const Tensor& self, OptionalDims dim,
                                  const std::optional<Scalar>& correction, bool keepdim) {
  return variance_of(self, dim, correction_number(correction), keepdim);
}
FakeTensor var_correction_fake(const FakeTensor& self, OptionalDims dim,
                               const std::optional<Scalar>& correction, bool keepdim) {
  return variance_of(self, dim, correction_number(correction), keepdim);
}

}  // namespace opwright
