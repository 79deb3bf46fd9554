// How well numbers fit a distribution, for tests with fixed seeds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace opwright::testing {

struct Moments {
  double mean, variance;
};
inline Moments moments(const std::vector<double>& numbers) {
  const auto count = static_cast<double>(numbers.size());
  double mean = 0;
  for (const double x : numbers) mean += x / count;
  double variance = 0;
  for (const double x : numbers) variance += (x - mean) * (x - mean) / count;
  return {mean, variance};
}

// The Kolmogorov-Smirnov distance from the distribution function, times the square root of the
// count: above 1.95 in one of a thousand samples.
template <class Function>
double kolmogorov_distance(std::vector<double> numbers, const Function& distribution) {
  std::sort(numbers.begin(), numbers.end());
  const auto count = static_cast<double>(numbers.size());
  double distance = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double expected = distribution(numbers[i]);
    distance = std::max({distance, expected - static_cast<double>(i) / count,
                         static_cast<double>(i + 1) / count - expected});
  }
  return distance * std::sqrt(count);
}
inline double uniform_cdf(double x) { return std::clamp(x, 0.0, 1.0); }
inline double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
inline double exponential_cdf(double x) { return x < 0 ? 0 : -std::expm1(-x); }
inline double cauchy_cdf(double x) { return 0.5 + std::atan(x) / 3.141592653589793; }

// The chi-square statistic for equally likely ints of [0, kinds), in standard deviations from its
// mean.
inline double chi_square_deviation(const std::vector<int64_t>& numbers, int64_t kinds) {
  std::vector<double> counts(static_cast<size_t>(kinds));
  for (const int64_t number : numbers) ++counts.at(static_cast<size_t>(number));
  const double expected = static_cast<double>(numbers.size()) / static_cast<double>(kinds);
  double sum = 0;
  for (const double count : counts) sum += (count - expected) * (count - expected) / expected;
  const auto freedom = static_cast<double>(kinds - 1);
  return std::abs(sum - freedom) / std::sqrt(2 * freedom);
}

}  // namespace opwright::testing
