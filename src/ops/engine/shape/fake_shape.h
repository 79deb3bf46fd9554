// Helpers for the results of fake kernels.
#pragma once

#include <span>

#include "opwright/fake_tensor.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"

namespace opwright {

// A FakeTensor as a Tensor; its sizes may be symbolic.
inline const Tensor& as_tensor(const FakeTensor& fake) {
  static_assert(sizeof(FakeTensor) == sizeof(Tensor));
  return reinterpret_cast<const Tensor&>(fake);
}

// A contiguous fake on the device of `self`.
[[nodiscard]] inline FakeTensor make_fake_like(const FakeTensor& self,
                                               std::span<const SymInt> sizes, DType dtype) {
  return FakeTensor::take(make_fake(sizes, dtype, self.device()).give());
}
[[nodiscard]] inline FakeTensor make_fake_like(const FakeTensor& self,
                                               std::span<const SymInt> sizes,
                                               std::span<const SymInt> strides, DType dtype) {
  return FakeTensor::take(make_fake(sizes, strides, 0, dtype, self.device()).give());
}

}  // namespace opwright
