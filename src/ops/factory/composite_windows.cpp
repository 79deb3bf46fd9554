// Windows of signals, and range: factories as composites.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/shape/promotion.h"

namespace opwright {
namespace {

struct WindowOptions {
  const char* who;
  int64_t length;
  bool is_periodic;
  const std::optional<DType>& dtype;
  const std::optional<Layout>& layout;
  const std::optional<Device>& device;
  const std::optional<bool>& pin_memory;
};

// The elements that `shape` computes from their places 0, 1, 2, ... and the place of the last. A
// periodic window is a symmetric one without its last element.
template <class Shape>
Tensor make_window(const WindowOptions& options, const Shape& shape) {
  const DType dtype = options.dtype.value_or(kDefaultFloat);
  OPWRIGHT_CHECK(is_floating(dtype), options.who, ": dtype must be a floating dtype, got ", dtype);
  OPWRIGHT_CHECK(options.length >= 0, options.who, ": window_length must not be negative, got ",
                 options.length);
  if (options.length <= 1)
    return ones({SymInt(options.length)}, dtype, options.layout, options.device,
                options.pin_memory);
  const DType exact = dtype == DType::Float64 ? dtype : DType::Float32;
  const Tensor places =
      arange(Scalar(options.length), exact, options.layout, options.device, options.pin_memory);
  const int64_t last = options.length - (options.is_periodic ? 0 : 1);
  return shape(places, static_cast<double>(last)).to(dtype);
}

// The sum of coefficients[k] * cos(2 pi k place / last), with alternating signs.
Tensor make_cosines(const WindowOptions& options, std::span<const double> coefficients) {
  return make_window(options, [&](const Tensor& places, double last) {
    Tensor sum = full_like(places, Scalar(coefficients[0]));
    for (size_t k = 1; k < coefficients.size(); ++k) {
      const double turn = 2 * std::numbers::pi * static_cast<double>(k) / last;
      const double factor = k % 2 == 0 ? coefficients[k] : -coefficients[k];
      sum = sum.add(places.mul(turn).cos().mul(factor));
    }
    return sum;
  });
}

Tensor make_hamming(const WindowOptions& options, double alpha, double beta) {
  const double coefficients[] = {alpha, beta};
  return make_cosines(options, coefficients);
}
Tensor make_blackman(const WindowOptions& options) {
  constexpr double kCoefficients[] = {0.42, 0.5, 0.08};
  return make_cosines(options, kCoefficients);
}
Tensor make_bartlett(const WindowOptions& options) {
  return make_window(options, [](const Tensor& places, double last) {
    return places.mul(2 / last).sub(1).abs().neg().add(1);
  });
}

// i0(beta sqrt(1 - x^2)) / i0(beta), for x from -1 to 1.
Tensor make_kaiser(const WindowOptions& options, double beta) {
  return make_window(options, [&](const Tensor& places, double last) {
    const Tensor squared = places.mul(2 / last).sub(1).square();
    const Tensor rising = squared.neg().add(1).clamp_min(0).sqrt().mul(beta).i0();
    return rising.div(full_like(rising, Scalar(beta)).i0());
  });
}

constexpr double kKaiserBeta = 12;
constexpr double kAlpha = 0.54;  // of Hamming's window
constexpr double kBeta = 0.46;

}  // namespace

// The last parameters of each factory, and the options that they make.
#define OPWRIGHT_FACTORY_PARAMETERS                                     \
  const std::optional<DType>&dtype, const std::optional<Layout>&layout, \
      const std::optional<Device>&device, const std::optional<bool>&pin_memory
#define OPWRIGHT_WINDOW(who, periodic) \
  WindowOptions { who, window_length, periodic, dtype, layout, device, pin_memory }

Tensor bartlett_window_composite(int64_t window_length, OPWRIGHT_FACTORY_PARAMETERS) {
  return make_bartlett(OPWRIGHT_WINDOW("bartlett_window", true));
}
Tensor bartlett_window_periodic_composite(int64_t window_length, bool periodic,
                                          OPWRIGHT_FACTORY_PARAMETERS) {
  return make_bartlett(OPWRIGHT_WINDOW("bartlett_window", periodic));
}
Tensor blackman_window_composite(int64_t window_length, OPWRIGHT_FACTORY_PARAMETERS) {
  return make_blackman(OPWRIGHT_WINDOW("blackman_window", true));
}
Tensor blackman_window_periodic_composite(int64_t window_length, bool periodic,
                                          OPWRIGHT_FACTORY_PARAMETERS) {
  return make_blackman(OPWRIGHT_WINDOW("blackman_window", periodic));
}
Tensor hann_window_composite(int64_t window_length, OPWRIGHT_FACTORY_PARAMETERS) {
  return make_hamming(OPWRIGHT_WINDOW("hann_window", true), 0.5, 0.5);
}
Tensor hann_window_periodic_composite(int64_t window_length, bool periodic,
                                      OPWRIGHT_FACTORY_PARAMETERS) {
  return make_hamming(OPWRIGHT_WINDOW("hann_window", periodic), 0.5, 0.5);
}
Tensor hamming_window_composite(int64_t window_length, OPWRIGHT_FACTORY_PARAMETERS) {
  return make_hamming(OPWRIGHT_WINDOW("hamming_window", true), kAlpha, kBeta);
}
Tensor hamming_window_periodic_composite(int64_t window_length, bool periodic,
                                         OPWRIGHT_FACTORY_PARAMETERS) {
  return make_hamming(OPWRIGHT_WINDOW("hamming_window", periodic), kAlpha, kBeta);
}
Tensor hamming_window_periodic_alpha_composite(int64_t window_length, bool periodic, double alpha,
                                               OPWRIGHT_FACTORY_PARAMETERS) {
  return make_hamming(OPWRIGHT_WINDOW("hamming_window", periodic), alpha, kBeta);
}
Tensor hamming_window_periodic_alpha_beta_composite(int64_t window_length, bool periodic,
                                                    double alpha, double beta,
                                                    OPWRIGHT_FACTORY_PARAMETERS) {
  return make_hamming(OPWRIGHT_WINDOW("hamming_window", periodic), alpha, beta);
}

Tensor kaiser_window_composite(int64_t window_length, OPWRIGHT_FACTORY_PARAMETERS) {
  return make_kaiser(OPWRIGHT_WINDOW("kaiser_window", true), kKaiserBeta);
}
Tensor kaiser_window_periodic_composite(int64_t window_length, bool periodic,
                                        OPWRIGHT_FACTORY_PARAMETERS) {
  return make_kaiser(OPWRIGHT_WINDOW("kaiser_window", periodic), kKaiserBeta);
}
Tensor kaiser_window_beta_composite(int64_t window_length, bool periodic, double beta,
                                    OPWRIGHT_FACTORY_PARAMETERS) {
  return make_kaiser(OPWRIGHT_WINDOW("kaiser_window", periodic), beta);
}

Tensor range_step_composite(const Scalar& start, const Scalar& end, const Scalar& step,
                            OPWRIGHT_FACTORY_PARAMETERS) {
  const double first = start.to<double>();
  const double last = end.to<double>();
  const double stride = step.to<double>();
  OPWRIGHT_CHECK(stride != 0, "range: step must not be zero");
  OPWRIGHT_CHECK(std::isfinite(first) && std::isfinite(last),
                 "range: start and end must be finite, got ", start, " and ", end);
  OPWRIGHT_CHECK((stride > 0) == (last >= first) || last == first,
                 "range: step must lead from start to end, got ", start, ", ", end, " and ", step);
  const DType type = dtype.value_or(kDefaultFloat);
  const auto count = static_cast<int64_t>(std::floor((last - first) / stride)) + 1;
  const Tensor places = arange(Scalar(count), DType::Int64, layout, device, pin_memory);
  const bool is_exact = !is_floating(type) && start.is_integral() && step.is_integral();
  const Tensor wide = is_exact ? places : places.to(DType::Float64);
  return wide.mul(step).add(start).to(type);
}
Tensor range_composite(const Scalar& start, const Scalar& end, OPWRIGHT_FACTORY_PARAMETERS) {
  return range_step_composite(start, end, Scalar(1), dtype, layout, device, pin_memory);
}

#undef OPWRIGHT_FACTORY_PARAMETERS
#undef OPWRIGHT_WINDOW

}  // namespace opwright
