// The error of vector_math.h's functions is below 2 ulp: at this machine's level through the
// operators, and at the baseline by direct calls.
//
// Covers: src/ops/engine/cpu/*.
#include "opwright/ops/engine/cpu/vector_math.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "ops/op_tensors.h"
#include "opwright/ops/engine/cpu/vector_math_double.h"

namespace opwright {
namespace {

constexpr int64_t kSamples = 200'003;  // spans the engine's blocks, with a remainder

// Floats evenly spread over the bit patterns from `low` to `high`, with both signs if low is 0.
Tensor samples(float low, float high) {
  Tensor tensor = make_empty(IntList{kSamples}, DType::Float32);
  const auto first = std::bit_cast<uint32_t>(low);
  const auto last = std::bit_cast<uint32_t>(high);
  for (int64_t i = 0; i < kSamples; ++i) {
    const auto step = static_cast<double>(last - first) * static_cast<double>(i) / kSamples;
    const float value = std::bit_cast<float>(first + static_cast<uint32_t>(step));
    tensor.mutable_data<float>()[i] = low == 0 && i % 2 == 1 ? -value : value;
  }
  return tensor;
}

// The error in ulps of the exact result; subnormal results are measured with the ulp of continued
// normal ones.
double error_of(float actual, double exact) {
  if (std::isnan(exact)) return std::isnan(actual) ? 0 : 1e9;
  if (std::abs(exact) > 3.4028235677973366e38) return std::isinf(actual) ? 0 : 1;
  const int exponent = std::max(std::ilogb(exact == 0 ? 1e-300 : exact), -126);
  return std::abs(static_cast<double>(actual) - exact) / std::ldexp(1.0, exponent - 23);
}

template <class Compute, class Exact>
double worst_error(const Tensor& x, const Compute& compute, const Exact& exact) {
  const std::vector<float> in = testing::floats(x);
  const std::vector<float> out = testing::floats(compute(x));
  double worst = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    worst = std::max(worst, error_of(out[i], exact(static_cast<double>(in[i]))));
  }
  return worst;
}
template <class Compute, class Exact>
double worst_error_of_one(const Tensor& x, const Compute& compute, const Exact& exact) {
  double worst = 0;
  for (const float value : testing::floats(x))
    worst = std::max(worst, error_of(compute(value), exact(static_cast<double>(value))));
  return worst;
}

struct Function {
  const char* name;
  Tensor (*op)(const Tensor&);
  float (*baseline)(float);
  double (*exact)(double);
  float high;
};

const Function kFunctions[] = {
    {"exp", [](const Tensor& x) { return exp(x); }, &vector_math::exp, &std::exp, 110},
    {"expm1", [](const Tensor& x) { return expm1(x); }, &vector_math::expm1, &std::expm1, 110},
    {"log", [](const Tensor& x) { return log(x); }, &vector_math::log, &std::log, 3e38F},
    {"log2", [](const Tensor& x) { return log2(x); }, &vector_math::log2, &std::log2, 3e38F},
    {"log10", [](const Tensor& x) { return log10(x); }, &vector_math::log10, &std::log10, 3e38F},
    {"log1p", [](const Tensor& x) { return log1p(x); }, &vector_math::log1p, &std::log1p, 3e38F},
    {"sin", [](const Tensor& x) { return sin(x); }, &vector_math::sin, &std::sin, 1e5F},
    {"cos", [](const Tensor& x) { return cos(x); }, &vector_math::cos, &std::cos, 1e5F},
    {"tan", [](const Tensor& x) { return tan(x); }, &vector_math::tan, &std::tan, 1e5F},
    {"asin", [](const Tensor& x) { return asin(x); }, &vector_math::asin, &std::asin, 1},
    {"acos", [](const Tensor& x) { return acos(x); }, &vector_math::acos, &std::acos, 1},
    {"atan", [](const Tensor& x) { return atan(x); }, &vector_math::atan, &std::atan, 3e38F},
    {"sinh", [](const Tensor& x) { return sinh(x); }, &vector_math::sinh, &std::sinh, 95},
    {"cosh", [](const Tensor& x) { return cosh(x); }, &vector_math::cosh, &std::cosh, 95},
    {"tanh", [](const Tensor& x) { return tanh(x); }, &vector_math::tanh, &std::tanh, 30},
    {"asinh", [](const Tensor& x) { return asinh(x); }, &vector_math::asinh, &std::asinh, 3e38F},
    {"acosh", [](const Tensor& x) { return acosh(x); }, &vector_math::acosh, &std::acosh, 3e38F},
    {"atanh", [](const Tensor& x) { return atanh(x); }, &vector_math::atanh, &std::atanh, 1},
    {"erf", [](const Tensor& x) { return erf(x); }, &vector_math::erf, &std::erf, 30},
};

TEST(VectorMath, ErrsByLessThanTwoUnitsAtTheLevelOfThisMachine) {
  for (const Function& function : kFunctions) {
    EXPECT_LT(worst_error(samples(0, function.high), function.op, function.exact), 2.0)
        << function.name;
    EXPECT_LT(
        worst_error(samples(0.125, std::min(function.high, 16.0F)), function.op, function.exact),
        2.0)
        << function.name;
  }
}

TEST(VectorMath, ErrsByLessThanTwoUnitsAtTheBaseline) {
  for (const Function& function : kFunctions) {
    EXPECT_LT(worst_error_of_one(samples(0, function.high), function.baseline, function.exact), 2.0)
        << function.name;
  }
}

TEST(VectorMath, OfTwoNumbersErrsByLessThanTwoUnits) {
  const std::vector<float> x = testing::floats(samples(1e-3F, 1e3F));
  const std::vector<float> y = testing::floats(samples(0, 12));
  double worst_power = 0;
  double worst_angle = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t other = i * 7919 % y.size();
    worst_power = std::max(worst_power, error_of(vector_math::pow(x[i], y[other]),
                                                 std::pow(double{x[i]}, double{y[other]})));
    worst_angle = std::max(worst_angle, error_of(vector_math::atan2(y[other], x[i]),
                                                 std::atan2(double{y[other]}, double{x[i]})));
  }

  EXPECT_LT(worst_power, 2.0);
  EXPECT_LT(worst_angle, 2.0);
}

// In ulps of a double; the reference has eleven more bits.
double error_of_double(double actual, long double exact) {
  const auto rounded = static_cast<double>(exact);
  if (std::isnan(rounded) || std::isinf(rounded) || rounded == 0)
    return std::isnan(rounded) == std::isnan(actual) && !(actual < rounded || actual > rounded)
               ? 0
               : 1e9;
  const int exponent = std::max(std::ilogb(rounded), -1022);
  return static_cast<double>(std::abs(static_cast<long double>(actual) - exact) /
                             std::ldexp(1.0L, exponent - 52));
}

TEST(VectorMath, OfDoublesErrsByLessThanOneAndAHalfUnits) {
  double worst_exp = 0;
  double worst_log = 0;
  for (int64_t i = 0; i < kSamples; ++i) {
    const double x = -760.0 + 1500.0 * static_cast<double>(i) / kSamples;
    const double y =
        std::bit_cast<double>(uint64_t{0x7ff0000000000000} / kSamples * static_cast<uint64_t>(i));
    const double near_one = 0.5 + static_cast<double>(i) / kSamples;
    worst_exp = std::max(
        worst_exp, error_of_double(vector_math::exp(x), std::exp(static_cast<long double>(x))));
    for (const double each : {y, near_one})
      worst_log = std::max(worst_log, error_of_double(vector_math::log(each),
                                                      std::log(static_cast<long double>(each))));
  }

  EXPECT_LT(worst_exp, 1.5);
  EXPECT_LT(worst_log, 1.5);
}

// Pairs whose powers cover all exponents, with bases of both kinds: of any size, and near 1.
TEST(VectorMath, PowersOfDoublesErrByLessThanOneAndAHalfUnits) {
  const Tensor bases = make_empty(IntList{kSamples}, DType::Float64);
  const Tensor exponents = make_empty(IntList{kSamples}, DType::Float64);
  for (int64_t i = 0; i < kSamples; ++i) {
    const double part = static_cast<double>(i) / kSamples;
    const double large = std::exp2(2000.0 * part - 1000.0);
    const double near_one = 1.0 + (part - 0.5) * std::exp2(-static_cast<double>(i % 45));
    const double sign = i % 3 == 0 ? -1.0 : 1.0;
    const double base = i % 2 == 0 ? large : near_one;
    const double turns = static_cast<double>(i * 7919 % kSamples) / kSamples * 2200.0 - 1100.0;
    const double exponent = turns / (std::log2(base) + 1e-15);
    bases.mutable_data<double>()[i] = sign * base;
    exponents.mutable_data<double>()[i] = sign < 0 ? std::rint(exponent) : exponent;
  }

  const std::vector<double> powers = testing::elements<double>(pow(bases, exponents));

  double worst = 0;
  double worst_at_baseline = 0;
  for (size_t i = 0; i < powers.size(); ++i) {
    const double x = bases.data<double>()[i];
    const double y = exponents.data<double>()[i];
    const long double exact = std::pow(static_cast<long double>(x), static_cast<long double>(y));
    worst = std::max(worst, error_of_double(powers[i], exact));
    if (!vector_math::is_special_power(x, y))
      worst_at_baseline =
          std::max(worst_at_baseline, error_of_double(vector_math::pow(x, y), exact));
  }
  EXPECT_LT(worst, 1.5);
  EXPECT_LT(worst_at_baseline, 1.5);
}

TEST(VectorMath, PowersOfDoublesHaveTheLimitsOfTheStandardLibrary) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const std::vector<double> values{0.0,  -0.0, 1.0,      -1.0,   0.5,        -2.0,       3.0,
                                   2.5,  -2.5, 1e300,    -1e300, kInfinite,  -kInfinite, 5e-324,
                                   1e19, 9e15, 9e15 + 1, -9e15,  1.0 + 1e-15};
  for (const double x : values) {
    for (const double y : values) {
      const double power = testing::elements<double>(
          pow(testing::tensor_of<double>({1}, {x}), testing::tensor_of<double>({1}, {y})))[0];
      const double exact = std::pow(x, y);
      EXPECT_TRUE(power == exact || (std::isnan(power) && std::isnan(exact)) ||
                  std::abs(power - exact) < 1e-15 * std::abs(exact))
          << x << " to the power of " << y << ": " << power << ", not " << exact;
    }
  }
}

TEST(VectorMath, OfLargeAnglesIsThatOfTheStandardLibrary) {
  const Tensor x = testing::tensor_of<float>({3}, {3e38F, -1e20F, 123456.0F});

  EXPECT_EQ(testing::floats(sin(x)),
            (std::vector<float>{std::sin(3e38F), std::sin(-1e20F), std::sin(123456.0F)}));
}

}  // namespace
}  // namespace opwright
