#include "opwright/check/shrink/simpler_values.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <vector>

#include "opwright/check/values/value_profile.h"
#include "opwright/complex.h"
#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

bool are_equal(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.data(), b.data(), static_cast<size_t>(a.numel()) * item_size(a.dtype())) ==
         0;
}

// Replaces all parts of all numbers by `change(part, place)`.
Tensor with_parts(const Tensor& values, const std::function<double(double, size_t)>& change) {
  const bool has_pairs = is_complex(values.dtype());
  const Tensor wide = converted_values(values, has_pairs ? DType::Complex128 : DType::Float64);
  const size_t count = static_cast<size_t>(wide.numel()) * (has_pairs ? 2 : 1);
  double* parts = has_pairs ? reinterpret_cast<double*>(wide.mutable_data<Complex<double>>())
                            : wide.mutable_data<double>();
  for (size_t i = 0; i < count; ++i) parts[i] = change(parts[i], i);
  return converted_values(wide, values.dtype());
}

double one(double /*part*/, size_t /*place*/) { return 1; }
double zero(double /*part*/, size_t /*place*/) { return 0; }
double place_number(double /*part*/, size_t place) { return static_cast<double>(place); }
double one_where_finite(double part, size_t /*place*/) { return std::isfinite(part) ? 1 : part; }
double whole(double part, size_t /*place*/) { return std::round(part); }
double of_one_digit(double part, size_t /*place*/) {
  return std::isfinite(part) ? std::round(part * 10) / 10 : part;
}

}  // namespace

std::vector<Tensor> simpler_values(const Tensor& tensor) {
  std::vector<Tensor> simpler;
  const DType dtype = tensor.dtype();
  const bool can_compute = item_size(dtype) > 1 || !is_floating(dtype);
  if (tensor.is_fake() || tensor.numel() == 0 || !can_compute) return simpler;
  const Tensor values = values_of(tensor);
  for (const auto& change : {one, zero, place_number, one_where_finite, whole, of_one_digit}) {
    Tensor changed = with_parts(values, change);
    if (are_equal(changed, values)) break;
    simpler.push_back(changed);
    if (!is_floating(dtype) && !is_complex(dtype) && simpler.size() == 3) break;
  }
  return simpler;
}

}  // namespace opwright
