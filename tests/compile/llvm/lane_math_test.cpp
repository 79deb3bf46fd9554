// The error of generated float32 functions relative to the correctly rounded result: a seeded
// sample of all inputs, or all 2^32 of them under OPWRIGHT_ALL=1 (a minute or two per function).
#include "opwright/compile/llvm/lane_math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "compile/emitted_code.h"

namespace opwright {
namespace {

struct LaneFunction {
  const char* name;
  double (*exact)(double);
  double most;  // units in the last place
};

// Errors in units of the last place of the float32 nearest to `exact`.
double error_of(float result, double exact) {
  const auto nearest = static_cast<float>(exact);
  if (std::isnan(result) || std::isnan(exact)) {
    return std::isnan(result) == std::isnan(exact) ? 0 : std::numeric_limits<double>::infinity();
  }
  if (nearest == 0 && result == 0) return std::signbit(result) == std::signbit(nearest) ? 0 : 1e9;
  if (std::isinf(nearest) || std::isinf(result)) {
    // The largest float is one unit before infinity.
    const double beyond = std::abs(static_cast<double>(result) - exact);
    if (result == nearest) return 0;
    return std::isinf(result) ? 1 + std::abs(0x1p128 - std::abs(exact)) / 0x1p104
                              : beyond / 0x1p104;
  }
  const int exponent = std::max(std::ilogb(nearest == 0 ? 0x1p-149F : nearest) - 23, -149);
  return std::abs(static_cast<double>(result) - exact) / std::ldexp(1.0, exponent);
}

struct Worst {
  double error = 0;
  float input = 0, result = 0;
};

class Sweep {
 public:
  Sweep(const testing::EmittedCode& code, const LaneFunction& function, uint64_t step)
      : code_(code), function_(function), step_(step) {}

  // From input `first` on, in bits, to `last`.
  Worst run(uint64_t first, uint64_t last) const {
    constexpr size_t kChunk = 4096;
    std::vector<float> x(kChunk);
    std::vector<float> y(kChunk);
    Worst worst;
    for (uint64_t at = first; at < last;) {
      size_t count = 0;
      for (; count < kChunk && at < last; ++count, at += step_)
        x[count] = std::bit_cast<float>(static_cast<uint32_t>(at));
      const auto columns = static_cast<int64_t>(count);
      code_.run({.operands = {x.data(), y.data()}, .numbers = {columns}, .column_end = columns});
      for (size_t i = 0; i < count; ++i) {
        const double error = error_of(y[i], function_.exact(x[i]));
        if (error > worst.error) worst = {error, x[i], y[i]};
      }
    }
    return worst;
  }

 private:
  const testing::EmittedCode& code_;
  const LaneFunction& function_;
  uint64_t step_;
};

Worst worst_of(const LaneFunction& function, uint32_t vector_bytes) {
  const testing::EmittedCode code(std::string("rows depth columns n0\n"
                                              "operand 0 float32 [1]\n"
                                              "operand 1 written float32 [1]\n"
                                              "%0 float32 = load 0\n"
                                              "%1 float32 = ") +
                                      function.name + " %0\nstore 1 %1\n",
                                  vector_bytes);
  const bool takes_all = std::getenv("OPWRIGHT_ALL") != nullptr;
  const Sweep sweep(code, function, takes_all ? 1 : 5077);
  constexpr uint64_t kHalf = uint64_t{1} << 31;
  Worst other;
  std::thread negative([&] { other = sweep.run(kHalf, 2 * kHalf); });
  const Worst worst = sweep.run(0, kHalf);
  negative.join();
  return other.error > worst.error ? other : worst;
}

double exact_sigmoid(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
double exact_rsqrt(double x) { return 1 / std::sqrt(x); }

class LaneMath : public ::testing::TestWithParam<LaneFunction> {};

TEST_P(LaneMath, IsNearTheExactResultOnAllInputs) {
  if (!testing::can_compile()) GTEST_SKIP() << "LLVM's library is not here";
  for (const uint32_t vector_bytes : testing::vector_sizes()) {
    const Worst worst = worst_of(GetParam(), vector_bytes);
    EXPECT_LT(worst.error, GetParam().most)
        << GetParam().name << "(" << worst.input << ") gave " << worst.result;
    RecordProperty("error_" + std::to_string(vector_bytes), std::to_string(worst.error));
    if (std::getenv("OPWRIGHT_ALL") != nullptr) break;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Functions, LaneMath,
    ::testing::Values(LaneFunction{"exp", std::exp, 2}, LaneFunction{"log", std::log, 2},
                      LaneFunction{"tanh", std::tanh, 2}, LaneFunction{"erf", std::erf, 2},
                      LaneFunction{"sin", std::sin, 2}, LaneFunction{"cos", std::cos, 2},
                      LaneFunction{"sigmoid", exact_sigmoid, 2},
                      LaneFunction{"rsqrt", exact_rsqrt, 2}, LaneFunction{"sqrt", std::sqrt, 0.51},
                      LaneFunction{"exp2", std::exp2, 2}, LaneFunction{"expm1", std::expm1, 1},
                      LaneFunction{"log2", std::log2, 1}, LaneFunction{"log10", std::log10, 1},
                      LaneFunction{"log1p", std::log1p, 1}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

}  // namespace
}  // namespace opwright
