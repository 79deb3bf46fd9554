#include "opwright/check/values/real_numbers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/check/values/element_text.h"
#include "opwright/complex.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/functions.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

const double* read_numbers(const Tensor& tensor) {
  if (!is_complex(tensor.dtype())) return tensor.data<double>();
  return reinterpret_cast<const double*>(tensor.data<Complex<double>>());
}

}  // namespace

size_t count_numbers(const Tensor& tensor) {
  return static_cast<size_t>(tensor.numel()) * (is_complex(tensor.dtype()) ? 2 : 1);
}

std::vector<double> numbers_of(const Tensor& tensor) {
  const Tensor plain = tensor.detach().to(Device{}, fine_dtype(tensor.dtype())).contiguous();
  const double* data = read_numbers(plain);
  return {data, data + count_numbers(plain)};
}

Tensor tensor_of(std::span<const double> numbers, const Tensor& like) {
  const Tensor made = empty(like.sizes(), fine_dtype(like.dtype()));
  std::ranges::copy(numbers, const_cast<double*>(read_numbers(made)));
  return made.to(like.device(), like.dtype());
}

std::string place_text(const Tensor& tensor, size_t index) {
  const bool has_pairs = is_complex(tensor.dtype());
  const auto element = static_cast<int64_t>(has_pairs ? index / 2 : index);
  std::string text = index_text(element, tensor.sizes());
  if (has_pairs) text += index % 2 == 0 ? " (real part)" : " (imaginary part)";
  return text;
}

}  // namespace opwright
