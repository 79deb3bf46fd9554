#include "opwright/check/values/value_profile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "opwright/complex.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/grad_mode.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr int64_t kUsualGreatestInt = 5;

bool is_real(DType dtype) { return is_floating(dtype) && item_size(dtype) > 1; }
bool is_plain(DType dtype) { return is_integral(dtype) || dtype == DType::Bool; }

// The numbers as doubles, both parts of complex ones.
std::span<const double> as_doubles(const Tensor& wide) {
  const auto count = static_cast<size_t>(wide.numel());
  if (!is_complex(wide.dtype())) return {wide.data<double>(), count};
  return {reinterpret_cast<const double*>(wide.data<Complex<double>>()), 2 * count};
}

template <class T>
bool has_sorted_rows(std::span<const T> values, int64_t row) {
  if (row < 3) return false;
  const auto length = static_cast<size_t>(row);
  for (size_t at = 0; at + length <= values.size(); at += length) {
    const auto line = values.subspan(at, length);
    if (!std::ranges::is_sorted(line) || line.front() == line.back()) return false;
  }
  return true;
}

template <class T>
void sort_rows(std::span<T> values, int64_t row, T first) {
  if (row < 1) return;
  const auto length = static_cast<size_t>(row);
  for (size_t at = 0; at + length <= values.size(); at += length) {
    const auto line = values.subspan(at, length);
    std::ranges::sort(line);
    line.front() = first;
  }
}

int64_t last_size(std::span<const int64_t> sizes) { return sizes.empty() ? 1 : sizes.back(); }

void read_floats(const Tensor& values, ValueProfile& profile) {
  const DType wide = is_complex(profile.dtype) ? DType::Complex128 : DType::Float64;
  const Tensor numbers = converted_values(values, wide);
  double least = std::numeric_limits<double>::infinity();
  double greatest = -least;
  for (const double number : as_doubles(numbers)) {
    if (!std::isfinite(number)) continue;
    least = std::min(least, number);
    greatest = std::max(greatest, number);
  }
  if (least > greatest) return;
  profile.least = least;
  profile.greatest = greatest;
  profile.is_sorted =
      !is_complex(profile.dtype) && has_sorted_rows(as_doubles(numbers), last_size(values.sizes()));
}

void read_ints(const Tensor& values, ValueProfile& profile) {
  const Tensor numbers = converted_values(values, DType::Int64);
  const std::span ints(numbers.data<int64_t>(), static_cast<size_t>(numbers.numel()));
  const auto [least, greatest] = std::ranges::minmax(ints);
  profile.least_int = least;
  profile.greatest_int = greatest;
  profile.is_sorted =
      profile.dtype != DType::Bool && has_sorted_rows(ints, last_size(values.sizes()));
}

// One value says nothing about the range, but its sign and being in [0, 1] are kept.
ValueProfile widened(ValueProfile profile) {
  if (profile.least < profile.greatest) return profile;
  if (profile.least == 0) profile.greatest = 1;
  if (profile.least > 0) profile.least /= 2;
  if (profile.greatest < 0) profile.greatest /= 2;
  return profile;
}

Tensor fresh_floats(const ValueProfile& given, std::span<const int64_t> sizes, RandomSource& rng) {
  const ValueProfile profile = widened(given);
  Tensor wide = make_empty(sizes, is_complex(profile.dtype) ? DType::Complex128 : DType::Float64);
  const auto read = as_doubles(wide);
  const std::span numbers(const_cast<double*>(read.data()), read.size());
  for (double& number : numbers) {
    const double share = rng.unit();
    number = profile.least * (1 - share) + profile.greatest * share;
    number = std::clamp(number, profile.least, profile.greatest);
  }
  if (profile.is_sorted) sort_rows(numbers, last_size(sizes), profile.least);
  return converted_values(wide, profile.dtype);
}

Tensor fresh_ints(const ValueProfile& profile, std::span<const int64_t> sizes, RandomSource& rng) {
  const Tensor wide = make_empty(sizes, DType::Int64);
  const std::span numbers(wide.mutable_data<int64_t>(), static_cast<size_t>(wide.numel()));
  for (int64_t& number : numbers) number = rng.between(profile.least_int, profile.greatest_int);
  if (profile.is_sorted) sort_rows(numbers, last_size(sizes), profile.least_int);
  return converted_values(wide, profile.dtype);
}

}  // namespace

ValueProfile profile_of(const Tensor& tensor) {
  ValueProfile profile{.dtype = tensor.dtype(), .greatest_int = kUsualGreatestInt};
  if (profile.dtype == DType::Bool) profile.greatest_int = 1;
  if (tensor.is_fake() || tensor.numel() == 0) return profile;
  if (is_real(profile.dtype) || is_complex(profile.dtype)) read_floats(values_of(tensor), profile);
  if (is_plain(profile.dtype)) read_ints(values_of(tensor), profile);
  if (profile.dtype == DType::Bool) profile.least_int = 0, profile.greatest_int = 1;
  return profile;
}

ValueProfile with_dtype(ValueProfile profile, DType dtype) {
  const bool had_ints = is_plain(profile.dtype);
  if (had_ints) {
    profile.least = static_cast<double>(profile.least_int);
    profile.greatest = static_cast<double>(profile.greatest_int);
  } else {
    profile.least_int = profile.least < 0 ? -kUsualGreatestInt : 0;
    profile.greatest_int = profile.greatest > 1 || profile.least < 0 ? kUsualGreatestInt : 1;
  }
  if (dtype == DType::UInt8) profile.least_int = std::max<int64_t>(profile.least_int, 0);
  if (dtype == DType::Bool) profile.least_int = 0, profile.greatest_int = 1;
  profile.dtype = dtype;
  return profile;
}

Tensor fresh_values(const ValueProfile& profile, std::span<const int64_t> sizes,
                    RandomSource& rng) {
  if (is_plain(profile.dtype)) return fresh_ints(profile, sizes, rng);
  if (is_real(profile.dtype) || is_complex(profile.dtype)) return fresh_floats(profile, sizes, rng);
  const Tensor bytes = make_empty(sizes, profile.dtype);  // for a dtype without arithmetic
  std::memset(bytes.mutable_data(), 0, static_cast<size_t>(bytes.numel()));
  return bytes;
}

Tensor values_of(const Tensor& tensor) {
  const NoGradScope no_grad;
  Tensor values = make_empty(tensor.sizes(), tensor.dtype());
  if (tensor.is_fake()) {
    std::memset(values.mutable_data(), 0,
                static_cast<size_t>(values.numel()) * item_size(values.dtype()));
    return values;
  }
  copy_elements(values, tensor.device() == kCpu ? tensor : tensor.to(kCpu, tensor.dtype()));
  return values;
}

Tensor leading_values(const Tensor& tensor, std::span<const int64_t> sizes) {
  const Tensor all = values_of(tensor);
  return values_of(make_view(all, sizes, all.strides(), 0));
}

Tensor converted_values(const Tensor& values, DType dtype) {
  const Tensor made = make_empty(values.sizes(), dtype);
  copy_elements(made, values);
  return made;
}

Tensor number_tensor(int64_t number, DType dtype) {
  const Tensor wide = make_empty({}, DType::Int64);
  *wide.mutable_data<int64_t>() = number;
  return converted_values(wide, dtype);
}

Tensor number_tensor(double number, DType dtype) {
  const Tensor wide = make_empty({}, DType::Float64);
  *wide.mutable_data<double>() = number;
  return converted_values(wide, dtype);
}

void set_element(const Tensor& values, int64_t index, const Tensor& number) {
  const size_t bytes = item_size(values.dtype());
  auto* data = static_cast<std::byte*>(values.mutable_data());
  std::memcpy(data + static_cast<size_t>(index) * bytes, number.data(), bytes);
}

void set_all(const Tensor& values, const Tensor& number) { copy_elements(values, number); }

}  // namespace opwright
