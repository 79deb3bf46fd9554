// fill_ and zero_.
#include <cstring>

#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/conversion.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/cpu/strided_loop.h"
#include "opwright/ops/engine/shape/in_place.h"

namespace opwright {

Tensor& fill_scalar_cpu(Tensor& self, const Scalar& value) {
  OPWRIGHT_CHECK_TYPE(!value.is_complex() || is_complex(self.dtype()), "fill_: the complex number ",
                      value, " cannot be stored in self of ", self.dtype());
  check_writable("fill_", self);
  const ConversionFunction repeat = find_conversion(self.dtype(), self.dtype());
  for_dtype(self.dtype(), "fill_", [&]<typename T>() {
    const T element = number_as<T>(value);
    StridedLoop({&self}).for_each_run([&](const StridedLoop::Pointers& pointers,
                                          const StridedLoop::ByteStrides& strides, int64_t count) {
      repeat(pointers[0], strides[0], reinterpret_cast<const std::byte*>(&element), 0, count);
    });
  });
  return self;
}

Tensor& zero_cpu(Tensor& self) {
  if (!self.is_contiguous()) return fill_scalar_cpu(self, 0);
  if (self.numel() > 0) {
    std::memset(self.mutable_data(), 0,
                static_cast<size_t>(self.numel()) * item_size(self.dtype()));
  }
  return self;
}

}  // namespace opwright
