// amax, amin, and max and min of all elements.
#include "opwright/ops/reduction/extremum.h"

#include "opwright/ops/reduction.h"

namespace opwright {
namespace {

template <class AnyTensor>
AnyTensor extremum_of(const char* who, const FoldTable& kernels, const AnyTensor& self,
                      std::span<const int64_t> dim, bool keepdim) {
  return reduce(self, {.who = who,
                       .kernels = &kernels,
                       .takes = "dtypes with an order",
                       .folded = fold_dims(who, self.dim(), dim),
                       .keepdim = keepdim,
                       .compute = self.dtype(),
                       .result = self.dtype(),
                       .needs_elements = true});
}

}  // namespace

Tensor amax_cpu(const Tensor& self, std::span<const int64_t> dim, bool keepdim) {
  return extremum_of("amax", kFolds<Largest, OrderedTypes>, self, dim, keepdim);
}
FakeTensor amax_fake(const FakeTensor& self, std::span<const int64_t> dim, bool keepdim) {
  return extremum_of("amax", kFolds<Largest, OrderedTypes>, self, dim, keepdim);
}
Tensor amin_cpu(const Tensor& self, std::span<const int64_t> dim, bool keepdim) {
  return extremum_of("amin", kFolds<Smallest, OrderedTypes>, self, dim, keepdim);
}
FakeTensor amin_fake(const FakeTensor& self, std::span<const int64_t> dim, bool keepdim) {
  return extremum_of("amin", kFolds<Smallest, OrderedTypes>, self, dim, keepdim);
}

Tensor max_cpu(const Tensor& self) {
  return extremum_of("max", kFolds<Largest, OrderedTypes>, self, {}, false);
}
FakeTensor max_fake(const FakeTensor& self) {
  return extremum_of("max", kFolds<Largest, OrderedTypes>, self, {}, false);
}
Tensor min_cpu(const Tensor& self) {
  return extremum_of("min", kFolds<Smallest, OrderedTypes>, self, {}, false);
}
FakeTensor min_fake(const FakeTensor& self) {
  return extremum_of("min", kFolds<Smallest, OrderedTypes>, self, {}, false);
}

}  // namespace opwright
