// arange, linspace and logspace: equidistant numbers, or powers of them, on every device.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <type_traits>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/cpu/strided_loop.h"
#include "opwright/ops/engine/pointwise/math_function.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

constexpr double kMostElements = 9223372036854775808.0;  // 2^63: the first that is too many

// The arguments of a factory besides its numbers.
struct Options {
  DType dtype;
  const std::optional<Layout>& layout;
  const std::optional<Device>& device;
  const std::optional<bool>& pin_memory;
};

// A new vector that `fill` writes on the CPU; other devices get a copy.
template <class Fill>
Tensor make_filled(const SymInt& length, const Options& options, const Fill& fill) {
  Tensor result =
      empty({length}, options.dtype, options.layout, options.device, options.pin_memory);
  if (result.is_fake() || result.numel() == 0) return result;
  if (result.device().type == kOpwDeviceCpu) {
    fill(result);
  } else {
    const Tensor source = make_empty(result.sizes(), options.dtype);
    fill(source);
    result.copy_(source);
  }
  return result;
}

// output[i] = value(i)
template <class T, class Value>
void fill_with(const Tensor& output, const Value& value) {
  T* out = output.mutable_data<T>();
  parallel_for(output.numel(), kElementwiseGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = convert_number<T>(value(i));
  });
}

// ---- arange -----------------------------------------------------------------------------------

struct Steps {
  const Scalar& start;
  const Scalar& end;
  const Scalar& step;
};

DType dtype_of_steps(const Steps& steps) {
  const auto is_whole = [](const Scalar& number) {
    return number.is_integral() || number.is_bool();
  };
  return is_whole(steps.start) && is_whole(steps.end) && is_whole(steps.step) ? DType::Int64
                                                                              : kDefaultFloat;
}

template <class Number>
void check_steps(const Steps& steps, DType dtype) {
  const auto start = number_as<Number>(steps.start);
  const auto end = number_as<Number>(steps.end);
  const auto step = number_as<Number>(steps.step);
  OPWRIGHT_CHECK_VALUE(step != 0, "arange: step must not be zero in ", dtype, ", got ", steps.step);
  OPWRIGHT_CHECK_VALUE(step > 0 ? end >= start : end <= start, "arange: steps of ", steps.step,
                       " do not lead from ", steps.start, " to ", steps.end,
                       "; step needs the other sign");
}

// Counts like PyTorch: int64 in integers, other dtypes in doubles.
double count_steps(const Steps& steps, DType dtype) {
  if (dtype != DType::Int64) {
    return std::ceil((steps.end.to<double>() - steps.start.to<double>()) / steps.step.to<double>());
  }
  using Wide = __int128;  // neither the difference nor its rounding overflows
  const Wide step = number_as<int64_t>(steps.step);
  const Wide distance = Wide{number_as<int64_t>(steps.end)} - Wide{number_as<int64_t>(steps.start)};
  const Wide length = (distance + step - (step > 0 ? 1 : -1)) / step;  // rounded up
  return static_cast<double>(length);
}

bool is_symbolic_number(const Scalar& number) {
  return number.is_integral() && number.sym_int().is_symbolic();
}

// For ints with a symbol among them.
SymInt symbolic_length(const Steps& steps) {
  const int64_t step = steps.step.sym_int().specialise();
  OPWRIGHT_CHECK_VALUE(step != 0, "arange: step must not be zero");
  const SymInt distance = step > 0 ? steps.end.sym_int() - steps.start.sym_int()
                                   : steps.start.sym_int() - steps.end.sym_int();
  check(distance >= 0, concatenate("arange: steps of ", step, " do not lead from ", steps.start,
                                   " to ", steps.end, "; step needs the other sign"));
  return (distance + (std::abs(step) - 1)) / std::abs(step);
}

SymInt length_of(const Steps& steps, DType dtype) {
  const bool is_whole =
      steps.start.is_integral() && steps.end.is_integral() && steps.step.is_integral();
  if (is_whole && (is_symbolic_number(steps.start) || is_symbolic_number(steps.end) ||
                   is_symbolic_number(steps.step)))
    return symbolic_length(steps);

  for (const Scalar* number : {&steps.start, &steps.end, &steps.step}) {
    OPWRIGHT_CHECK_VALUE(std::isfinite(number->to<double>()),
                         "arange: start, end and step must be finite, got ", steps.start, ", ",
                         steps.end, " and ", steps.step);
  }
  check_steps<double>(steps, dtype);
  if (dtype == DType::Int64) check_steps<int64_t>(steps, dtype);
  const double length = count_steps(steps, dtype);
  OPWRIGHT_CHECK_VALUE(length < kMostElements, "arange: ", steps.start, " to ", steps.end,
                       " in steps of ", steps.step, " are too many elements (", length, ")");
  return static_cast<int64_t>(length);
}

void fill_steps(const Tensor& output, const Steps& steps) {
  if (is_integral(output.dtype())) {
    const auto start = number_as<int64_t>(steps.start);
    const auto step = number_as<int64_t>(steps.step);
    for_integral_dtype(output.dtype(), "arange", [&]<typename T>() {
      fill_with<T>(output, [=](int64_t i) { return wrap_add(start, wrap_mul(step, i)); });
    });
  } else {
    const auto start = steps.start.to<double>();
    const auto step = steps.step.to<double>();
    for_floating_dtype(output.dtype(), "arange", [&]<typename T>() {
      fill_with<T>(output, [=](int64_t i) { return start + step * static_cast<double>(i); });
    });
  }
}

// ---- linspace ---------------------------------------------------------------------------------

// The ends are first rounded to the dtype, as in PyTorch, and both are exact: each half is computed
// from its own end.
template <class T>
void fill_between(const Tensor& output, const Scalar& start, const Scalar& end) {
  using Wide = std::conditional_t<kIsComplex<T>, Complex<double>, double>;
  const auto rounded = [](const Scalar& number) {
    return convert_number<Wide>(convert_number<T>(number.to<Wide>()));
  };
  const Wide first = rounded(start);
  const Wide last = rounded(end);
  const int64_t steps = output.numel();
  const Wide step = steps > 1 ? (last - first) / Wide(static_cast<double>(steps - 1)) : Wide(0);
  fill_with<T>(output, [=](int64_t i) {
    if (i < steps / 2 || steps == 1) return first + step * Wide(static_cast<double>(i));
    return last - step * Wide(static_cast<double>(steps - 1 - i));
  });
}

// ---- logspace ---------------------------------------------------------------------------------

double power(double base, double exponent) { return std::pow(base, exponent); }
Complex<double> power(Complex<double> base, Complex<double> exponent) {
  return from_standard(std::pow(to_standard(base), to_standard(exponent)));
}

// Both ends are first rounded to the dtype. For ints the exponents are float32, as in PyTorch:
// powers are truncated, so every bit of the exponent matters.
template <class T>
void fill_powers(const Tensor& output, const Scalar& start, const Scalar& end, double base) {
  using Wide = std::conditional_t<kIsComplex<T>, Complex<double>, double>;
  using Exponent = std::conditional_t<std::is_integral_v<T>, float, Wide>;
  const auto rounded = [](const Scalar& number) {
    return convert_number<Exponent>(convert_number<T>(number.to<Wide>()));
  };
  const int64_t steps = output.numel();
  if (steps == 1) {
    const Wide only = power(Wide(base), start.to<Wide>());
    fill_with<T>(output, [=](int64_t) { return only; });
    return;
  }
  const Exponent first = rounded(start);
  const Exponent last = rounded(end);
  const Wide root(base);
  const auto times = [](int64_t count) { return Exponent(static_cast<double>(count)); };
  const Exponent step = (last - first) / times(steps - 1);
  fill_with<T>(output, [=](int64_t i) {
    if (i < steps / 2) return power(root, convert_number<Wide>(first + step * times(i)));
    return power(root, convert_number<Wide>(last - step * times(steps - 1 - i)));
  });
}

// The dtype for numbers between `start` and `end`.
DType dtype_between(const char* who, const Scalar& start, const Scalar& end,
                    const std::optional<DType>& dtype) {
  const bool has_complex = start.is_complex() || end.is_complex();
  OPWRIGHT_CHECK_TYPE(!has_complex || !dtype || is_complex(*dtype), who, ": the ends ", start,
                      " and ", end, " are complex, but dtype is ", *dtype,
                      "; give a complex dtype");
  const DType element = dtype.value_or(has_complex ? kDefaultComplex : kDefaultFloat);
  if (element == DType::Bool) throw_dtype(element, who, "all others");
  return element;
}

}  // namespace

Tensor arange_start_step_all_devices(const Scalar& start, const Scalar& end, const Scalar& step,
                                     const std::optional<DType>& dtype,
                                     const std::optional<Layout>& layout,
                                     const std::optional<Device>& device,
                                     const std::optional<bool>& pin_memory) {
  const Steps steps{start, end, step};
  const DType element = dtype.value_or(dtype_of_steps(steps));
  if (!is_integral(element) && !is_floating(element))
    throw_dtype(element, "arange", "integral and floating dtypes");
  return make_filled(length_of(steps, element), {element, layout, device, pin_memory},
                     [&](const Tensor& output) { fill_steps(output, steps); });
}

Tensor arange_start_all_devices(const Scalar& start, const Scalar& end,
                                const std::optional<DType>& dtype,
                                const std::optional<Layout>& layout,
                                const std::optional<Device>& device,
                                const std::optional<bool>& pin_memory) {
  return arange_start_step_all_devices(start, end, 1, dtype, layout, device, pin_memory);
}

Tensor arange_all_devices(const Scalar& end, const std::optional<DType>& dtype,
                          const std::optional<Layout>& layout, const std::optional<Device>& device,
                          const std::optional<bool>& pin_memory) {
  return arange_start_step_all_devices(0, end, 1, dtype, layout, device, pin_memory);
}

Tensor linspace_all_devices(const Scalar& start, const Scalar& end, int64_t steps,
                            const std::optional<DType>& dtype, const std::optional<Layout>& layout,
                            const std::optional<Device>& device,
                            const std::optional<bool>& pin_memory) {
  OPWRIGHT_CHECK_VALUE(steps >= 0, "linspace: steps must not be negative, got ", steps);
  const DType element = dtype_between("linspace", start, end, dtype);
  return make_filled(steps, {element, layout, device, pin_memory}, [&](const Tensor& output) {
    for_dtype(element, "linspace", [&]<typename T>() {
      if constexpr (!kIsBool<T>) fill_between<T>(output, start, end);
    });
  });
}

Tensor logspace_all_devices(const Scalar& start, const Scalar& end, int64_t steps, double base,
                            const std::optional<DType>& dtype, const std::optional<Layout>& layout,
                            const std::optional<Device>& device,
                            const std::optional<bool>& pin_memory) {
  OPWRIGHT_CHECK_VALUE(steps >= 0, "logspace: steps must not be negative, got ", steps);
  const DType element = dtype_between("logspace", start, end, dtype);
  return make_filled(steps, {element, layout, device, pin_memory}, [&](const Tensor& output) {
    for_dtype(element, "logspace", [&]<typename T>() {
      if constexpr (!kIsBool<T>) fill_powers<T>(output, start, end, base);
    });
  });
}

}  // namespace opwright
