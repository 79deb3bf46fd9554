#include "opwright/check/real_numbers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/complex.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

const double* read(const Tensor& tensor) {
  if (!is_complex(tensor.dtype())) return tensor.data<double>();
  return reinterpret_cast<const double*>(tensor.data<Complex<double>>());
}

DType fine_dtype(const Tensor& tensor) {
  return is_complex(tensor.dtype()) ? DType::Complex128 : DType::Float64;
}

}  // namespace

size_t count_numbers(const Tensor& tensor) {
  return static_cast<size_t>(tensor.numel()) * (is_complex(tensor.dtype()) ? 2 : 1);
}

std::vector<double> numbers_of(const Tensor& tensor) {
  const Tensor plain = tensor.detach().to(Device{}, fine_dtype(tensor)).contiguous();
  const double* data = read(plain);
  return {data, data + count_numbers(plain)};
}

Tensor tensor_of(std::span<const double> numbers, const Tensor& like) {
  const Tensor made = empty(like.sizes(), fine_dtype(like));
  std::ranges::copy(numbers, const_cast<double*>(read(made)));
  return made.to(like.device(), like.dtype());
}

std::string place_text(const Tensor& tensor, size_t index) {
  const bool has_pairs = is_complex(tensor.dtype());
  auto left = static_cast<int64_t>(has_pairs ? index / 2 : index);
  std::vector<int64_t> place(static_cast<size_t>(tensor.dim()));
  for (size_t dim = place.size(); dim-- > 0;) {
    const int64_t size = tensor.size(static_cast<int64_t>(dim));
    place[dim] = left % size;
    left /= size;
  }
  std::string text = "[";
  for (size_t dim = 0; dim < place.size(); ++dim) {
    text += concatenate(dim == 0 ? "" : ", ", place[dim]);
  }
  text += "]";
  if (has_pairs) text += index % 2 == 0 ? " (real part)" : " (imaginary part)";
  return text;
}

}  // namespace opwright
