// uniform_ and distributions derived from it: exponential_, cauchy_, geometric_.
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "opwright/fake_tensor.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/random/device_random.h"
#include "opwright/ops/engine/random/distribution.h"
#include "opwright/ops/engine/random/random_arguments.h"
#include "opwright/ops/engine/random/random_fill.h"

namespace opwright {
namespace {

using std::optional;

template <class T>
constexpr int kDigits = std::is_same_v<T, Half>       ? 11
                        : std::is_same_v<T, BFloat16> ? 8
                                                      : std::numeric_limits<ComputeType<T>>::digits;

// The largest T below `limit`, but not below `least`.
template <class T>
ComputeType<T> last_below(ComputeType<T> limit, ComputeType<T> least) {
  using C = ComputeType<T>;
  C last;
  if constexpr (kIsHalf<T>) {
    auto bits = std::bit_cast<uint16_t>(T(limit));
    const bool is_negative = bits >> 15 != 0;
    bits = (bits & 0x7fff) == 0 ? uint16_t{0x8001}
                                : static_cast<uint16_t>(is_negative ? bits + 1 : bits - 1);
    last = static_cast<C>(std::bit_cast<T>(bits));
  } else {
    last = std::nextafter(limit, -std::numeric_limits<C>::infinity());
  }
  return last < least ? least : last;
}

template <class T>
struct UniformNumbers {
  ComputeType<T> first, width, last;

  UniformNumbers(double from, double to) : first(rounded(from)) {
    const ComputeType<T> limit = rounded(to);
    width = limit - first;
    last = last_below<T>(limit, first);
  }
  static ComputeType<T> rounded(double number) {
    return static_cast<ComputeType<T>>(T(static_cast<ComputeType<T>>(number)));
  }
};

template <class T>
void fill_uniform(const char* who, const Tensor& self, double from, double to, RandomState& state) {
  const UniformNumbers<T> by(from, to);
  if constexpr (std::is_same_v<ComputeType<T>, float>) {
    fill_random(who, self, state, UniformFloat{by.first, by.width, by.last, kDigits<T>});
  } else {
    fill_random(who, self, state, UniformDouble{by.first, by.width, by.last});
  }
}

void check_uniform(DType dtype, double from, double to) {
  check_inexact("uniform_", dtype);
  OPWRIGHT_CHECK_VALUE(from <= to, "uniform_: from must not be above to, got ", from, " and ", to);
  OPWRIGHT_CHECK_VALUE(std::isfinite(from) && std::isfinite(to) && std::isfinite(to - from),
                       "uniform_: from, to and their distance must be finite, got ", from, " and ",
                       to);
  if (dtype == DType::Float64 || dtype == DType::Complex128) return;
  const double most = dtype == DType::Float16 ? 65504.0 : 3.4028234663852886e38;
  OPWRIGHT_CHECK_VALUE(std::abs(from) <= most && std::abs(to) <= most && to - from <= most,
                       "uniform_: from, to and their distance must be numbers of ", dtype, ", got ",
                       from, " and ", to);
}

void check_exponential(DType dtype, double lambd) {
  check_floating("exponential_", dtype);
  OPWRIGHT_CHECK_VALUE(lambd > 0, "exponential_: lambd must be positive, got ", lambd);
}

void check_cauchy(DType dtype, double sigma) {
  check_floating("cauchy_", dtype);
  OPWRIGHT_CHECK_VALUE(sigma > 0, "cauchy_: sigma must be positive, got ", sigma);
}

void check_geometric(DType dtype, double p) {
  if (is_complex(dtype) || dtype == DType::Bool || (is_floating(dtype) && item_size(dtype) == 1))
    throw_dtype(dtype, "geometric_", "integral and floating dtypes");
  OPWRIGHT_CHECK_VALUE(p > 0 && p < 1, "geometric_: p must be between 0 and 1, got ", p);
}

constexpr double kPi = 3.141592653589793;
constexpr UniformDouble kUnit{.from = 0, .width = 1, .last = 1 - 0x1p-53};

// Numbers of kUnit on the device of `self`, one per element.
Tensor draw_unit(const Tensor& self, const optional<Generator>& generator) {
  Tensor unit = make_empty(self.sizes(), DType::Float64, self.device());
  unit.uniform_(0, 1, generator);
  return unit;
}

}  // namespace

Tensor& uniform_cpu(Tensor& self, double from, double to, const optional<Generator>& generator) {
  check_uniform(self.dtype(), from, to);
  RandomState& state = random_state("uniform_", generator, self.device());
  for_floating_dtype(real_dtype(self.dtype()), "uniform_",
                     [&]<typename T>() { fill_uniform<T>("uniform_", self, from, to, state); });
  return self;
}
Tensor& uniform_in_place_all_devices(Tensor& self, double from, double to,
                                     const optional<Generator>& generator) {
  check_uniform(self.dtype(), from, to);
  RandomState& state = random_state("uniform_", generator, self.device());
  for_floating_dtype(real_dtype(self.dtype()), "uniform_", [&]<typename T>() {
    const UniformNumbers<T> by(from, to);
    fill_random_on_device("uniform_", self, state, "uniform", std::is_same_v<T, double> ? 2 : 1,
                          {by.first, by.width, by.last, int64_t{kDigits<T>}});
  });
  return self;
}
FakeTensor& uniform_fake(FakeTensor& self, double from, double to,
                         const optional<Generator>& /*generator*/) {
  check_uniform(self.dtype(), from, to);
  return self;
}

Tensor& exponential_cpu(Tensor& self, double lambd, const optional<Generator>& generator) {
  check_exponential(self.dtype(), lambd);
  RandomState& state = random_state("exponential_", generator, self.device());
  if (self.dtype() == DType::Float64) {
    fill_random("exponential_", self, state, ExponentialDouble{1 / lambd});
  } else {
    fill_random("exponential_", self, state, ExponentialFloat{static_cast<float>(1 / lambd)});
  }
  return self;
}
Tensor& exponential_in_place_all_devices(Tensor& self, double lambd,
                                         const optional<Generator>& generator) {
  check_exponential(self.dtype(), lambd);
  fill_random_on_device("exponential_", self,
                        random_state("exponential_", generator, self.device()), "exponential",
                        self.dtype() == DType::Float64 ? 2 : 1, {1 / lambd});
  return self;
}
FakeTensor& exponential_fake(FakeTensor& self, double lambd,
                             const optional<Generator>& /*generator*/) {
  check_exponential(self.dtype(), lambd);
  return self;
}

Tensor& cauchy_cpu(Tensor& self, double median, double sigma,
                   const optional<Generator>& generator) {
  check_cauchy(self.dtype(), sigma);
  fill_random("cauchy_", self, random_state("cauchy_", generator, self.device()), kUnit,
              [=](double* elements, int64_t count) {
                for (int64_t i = 0; i < count; ++i)
                  elements[i] = median + sigma * std::tan(kPi * (elements[i] - 0.5));
              });
  return self;
}
Tensor& cauchy_in_place_all_devices(Tensor& self, double median, double sigma,
                                    const optional<Generator>& generator) {
  check_cauchy(self.dtype(), sigma);
  check_writable("cauchy_", self);
  self.copy_(draw_unit(self, generator).sub_(0.5).mul_(kPi).tan_().mul_(sigma).add_(median));
  return self;
}
FakeTensor& cauchy_fake(FakeTensor& self, double /*median*/, double sigma,
                        const optional<Generator>& /*generator*/) {
  check_cauchy(self.dtype(), sigma);
  return self;
}

Tensor& geometric_cpu(Tensor& self, double p, const optional<Generator>& generator) {
  check_geometric(self.dtype(), p);
  const double scale = 1 / std::log1p(-p);
  fill_random("geometric_", self, random_state("geometric_", generator, self.device()), kUnit,
              [=](double* elements, int64_t count) {
                for (int64_t i = 0; i < count; ++i) {
                  const double failures = std::ceil(std::log1p(-elements[i]) * scale);
                  elements[i] = failures < 1 ? 1 : failures;
                }
              });
  return self;
}
Tensor& geometric_in_place_all_devices(Tensor& self, double p,
                                       const optional<Generator>& generator) {
  check_geometric(self.dtype(), p);
  check_writable("geometric_", self);
  const double scale = 1 / std::log1p(-p);
  self.copy_(draw_unit(self, generator).neg_().log1p_().mul_(scale).ceil_().clamp_(1));
  return self;
}
FakeTensor& geometric_fake(FakeTensor& self, double p, const optional<Generator>& /*generator*/) {
  check_geometric(self.dtype(), p);
  return self;
}

}  // namespace opwright
