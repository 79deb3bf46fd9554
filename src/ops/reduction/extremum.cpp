// amax, amin, and max and min of all elements.
#include "opwright/ops/reduction/extremum.h"

#include "opwright/ops/engine/reduction/reduction.h"

namespace opwright {
namespace {

template <class AnyTensor>
AnyTensor extremum_of(const char* who, const FoldTable& kernels, const char* fold,
                      const AnyTensor& self, std::span<const int64_t> dim, bool keepdim) {
  return reduce(self, {.who = who,
                       .kernels = &kernels,
                       .fold = fold,
                       .takes = "dtypes with an order",
                       .folded = fold_dims(who, self.dim(), dim),
                       .keepdim = keepdim,
                       .compute = self.dtype(),
                       .result = self.dtype(),
                       .needs_elements = true});
}

}  // namespace

Tensor amax_all_devices(const Tensor& self, std::span<const int64_t> dim, bool keepdim) {
  return extremum_of("amax", kFolds<Largest, OrderedTypes>, "max", self, dim, keepdim);
}
FakeTensor amax_fake(const FakeTensor& self, std::span<const int64_t> dim, bool keepdim) {
  return extremum_of("amax", kFolds<Largest, OrderedTypes>, "max", self, dim, keepdim);
}
Tensor amin_all_devices(const Tensor& self, std::span<const int64_t> dim, bool keepdim) {
  return extremum_of("amin", kFolds<Smallest, OrderedTypes>, "min", self, dim, keepdim);
}
FakeTensor amin_fake(const FakeTensor& self, std::span<const int64_t> dim, bool keepdim) {
  return extremum_of("amin", kFolds<Smallest, OrderedTypes>, "min", self, dim, keepdim);
}

Tensor max_all_devices(const Tensor& self) {
  return extremum_of("max", kFolds<Largest, OrderedTypes>, "max", self, {}, false);
}
FakeTensor max_fake(const FakeTensor& self) {
  return extremum_of("max", kFolds<Largest, OrderedTypes>, "max", self, {}, false);
}
Tensor min_all_devices(const Tensor& self) {
  return extremum_of("min", kFolds<Smallest, OrderedTypes>, "min", self, {}, false);
}
FakeTensor min_fake(const FakeTensor& self) {
  return extremum_of("min", kFolds<Smallest, OrderedTypes>, "min", self, {}, false);
}

}  // namespace opwright
