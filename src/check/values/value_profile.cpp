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

void read_floats(const Tensor& values, ValueHabit& habit) {
  const DType wide = is_complex(habit.dtype) ? DType::Complex128 : DType::Float64;
  const Tensor numbers = converted_values(values, wide);
  double least = std::numeric_limits<double>::infinity();
  double greatest = -least;
  for (const double number : as_doubles(numbers)) {
    if (!std::isfinite(number)) continue;
    least = std::min(least, number);
    greatest = std::max(greatest, number);
  }
  if (least > greatest) return;
  habit.least = least;
  habit.greatest = greatest;
  habit.is_sorted =
      !is_complex(habit.dtype) && has_sorted_rows(as_doubles(numbers), last_size(values.sizes()));
}

void read_ints(const Tensor& values, ValueHabit& habit) {
  const Tensor numbers = converted_values(values, DType::Int64);
  const std::span ints(numbers.data<int64_t>(), static_cast<size_t>(numbers.numel()));
  const auto [least, greatest] = std::ranges::minmax(ints);
  habit.least_int = least;
  habit.greatest_int = greatest;
  habit.is_sorted = habit.dtype != DType::Bool && has_sorted_rows(ints, last_size(values.sizes()));
}

// One value says nothing about the range, but its sign and being in [0, 1] are kept.
ValueHabit widened(ValueHabit habit) {
  if (habit.least < habit.greatest) return habit;
  if (habit.least == 0) habit.greatest = 1;
  if (habit.least > 0) habit.least /= 2;
  if (habit.greatest < 0) habit.greatest /= 2;
  return habit;
}

Tensor fresh_floats(const ValueHabit& given, std::span<const int64_t> sizes, Dice& dice) {
  const ValueHabit habit = widened(given);
  Tensor wide = make_empty(sizes, is_complex(habit.dtype) ? DType::Complex128 : DType::Float64);
  const auto read = as_doubles(wide);
  const std::span numbers(const_cast<double*>(read.data()), read.size());
  for (double& number : numbers) {
    const double share = dice.unit();
    number = habit.least * (1 - share) + habit.greatest * share;
    number = std::clamp(number, habit.least, habit.greatest);
  }
  if (habit.is_sorted) sort_rows(numbers, last_size(sizes), habit.least);
  return converted_values(wide, habit.dtype);
}

Tensor fresh_ints(const ValueHabit& habit, std::span<const int64_t> sizes, Dice& dice) {
  const Tensor wide = make_empty(sizes, DType::Int64);
  const std::span numbers(wide.mutable_data<int64_t>(), static_cast<size_t>(wide.numel()));
  for (int64_t& number : numbers) number = dice.between(habit.least_int, habit.greatest_int);
  if (habit.is_sorted) sort_rows(numbers, last_size(sizes), habit.least_int);
  return converted_values(wide, habit.dtype);
}

}  // namespace

ValueHabit habit_of(const Tensor& tensor) {
  ValueHabit habit{.dtype = tensor.dtype(), .greatest_int = kUsualGreatestInt};
  if (habit.dtype == DType::Bool) habit.greatest_int = 1;
  if (tensor.is_fake() || tensor.numel() == 0) return habit;
  if (is_real(habit.dtype) || is_complex(habit.dtype)) read_floats(values_of(tensor), habit);
  if (is_plain(habit.dtype)) read_ints(values_of(tensor), habit);
  if (habit.dtype == DType::Bool) habit.least_int = 0, habit.greatest_int = 1;
  return habit;
}

ValueHabit with_dtype(ValueHabit habit, DType dtype) {
  const bool had_ints = is_plain(habit.dtype);
  if (had_ints) {
    habit.least = static_cast<double>(habit.least_int);
    habit.greatest = static_cast<double>(habit.greatest_int);
  } else {
    habit.least_int = habit.least < 0 ? -kUsualGreatestInt : 0;
    habit.greatest_int = habit.greatest > 1 || habit.least < 0 ? kUsualGreatestInt : 1;
  }
  if (dtype == DType::UInt8) habit.least_int = std::max<int64_t>(habit.least_int, 0);
  if (dtype == DType::Bool) habit.least_int = 0, habit.greatest_int = 1;
  habit.dtype = dtype;
  return habit;
}

Tensor fresh_values(const ValueHabit& habit, std::span<const int64_t> sizes, Dice& dice) {
  if (is_plain(habit.dtype)) return fresh_ints(habit, sizes, dice);
  if (is_real(habit.dtype) || is_complex(habit.dtype)) return fresh_floats(habit, sizes, dice);
  const Tensor bytes = make_empty(sizes, habit.dtype);  // for a dtype without arithmetic
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
