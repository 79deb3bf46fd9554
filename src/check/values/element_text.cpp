#include "opwright/check/values/element_text.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "opwright/complex.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/number_text.h"

namespace opwright {

std::span<const std::byte> bytes_of(const Tensor& contiguous) {
  return {static_cast<const std::byte*>(contiguous.data()),
          static_cast<size_t>(contiguous.numel()) * item_size(contiguous.dtype())};
}

std::string index_text(int64_t element, std::span<const int64_t> sizes) {
  Sizes index(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0;) {
    index[dim] = element % sizes[dim];
    element /= sizes[dim];
  }
  return to_text(index);
}

std::string element_text(const Tensor& contiguous, int64_t element) {
  const DType dtype = contiguous.dtype();
  const void* at = bytes_of(contiguous).data() + static_cast<size_t>(element) * item_size(dtype);
  if (!is_floating(dtype) && !is_complex(dtype)) return discrete_text(at, dtype);
  const FloatParts parts = read_float(at, dtype);
  if (dtype == DType::Float64) return concatenate(parts.real);
  if (!is_complex(dtype)) return concatenate(static_cast<float>(parts.real));
  const Complex<double> value(parts.real, parts.imag);
  return dtype == DType::Complex128 ? concatenate(value) : concatenate(Complex<float>(value));
}

}  // namespace opwright
