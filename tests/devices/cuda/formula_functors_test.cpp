// The functors that list_formulas wrote, compiled for the CPU, against a second reading of their
// texts.
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "formulas/formula_list.h"
#include "ops/formula_evaluator.h"
#include "opwright/ops/engine/device/device_formula.h"

namespace opwright::cuda {
namespace {

using testing::FormulaEvaluator;

template <class T>
std::vector<T> samples() {
  std::vector<T> values;
  if constexpr (std::is_same_v<T, bool>) {
    values = {false, true};
  } else if constexpr (std::is_floating_point_v<T>) {
    constexpr T kInf = std::numeric_limits<T>::infinity();
    values = {T(-2.5), T(-1),    T(3), T(0),    T(1),
              T(0.3),  T(-0.25), T(5), T(0.75), T(-0.0),
              T(20),   T(-4.25), kInf, -kInf,   std::numeric_limits<T>::quiet_NaN()};
  } else {
    values = {T(-7), T(-2), T(3), T(1), T(2), T(5), T(-100), T(20)};
  }
  return values;
}

template <class T>
void expect_close(T actual, T expected, std::string_view text, T x, T y, T z) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(expected) || std::isinf(expected)) {
      EXPECT_TRUE(actual == expected || (std::isnan(actual) && std::isnan(expected)))
          << text << " of " << x << ", " << y << ", " << z << ": " << actual << ", not "
          << expected;
      return;
    }
    const T allowed = 16 * std::numeric_limits<T>::epsilon();
    EXPECT_NEAR(actual, expected, allowed * (1 + std::abs(expected)))
        << text << " of " << x << ", " << y << ", " << z;
  } else {
    EXPECT_EQ(actual, expected) << text << " of " << x << ", " << y << ", " << z;
  }
}

template <class F, class T>
T evaluate_functor(T x, T y, T z, const std::vector<T>& numbers) {
  if constexpr (std::is_same_v<T, bool>)
    return F::of_bools(x, y, z, numbers[0], numbers[1], numbers[2]);
  else
    return static_cast<T>(F::template of_numbers<T>(x, y, z, numbers[0], numbers[1], numbers[2]));
}

template <class F, class T>
void compare(std::string_view text) {
  const std::vector<T> values = samples<T>();
  const std::vector<T> numbers = {static_cast<T>(2), static_cast<T>(1), static_cast<T>(3)};
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = 0; j < values.size(); ++j) {
      const T x = values[i];
      const T y = values[j];
      const T z = values[(i + 2 * j + 1) % values.size()];
      constexpr bool kAreTruths = std::is_same_v<T, bool>;
      FormulaEvaluator<T> reading(text, {{x, kAreTruths}, {y, kAreTruths}, {z, kAreTruths}},
                                  numbers);
      expect_close(evaluate_functor<F, T>(x, y, z, numbers), reading.evaluate().number, text, x, y,
                   z);
    }
  }
}

template <class F>
void compare_all(std::string_view text) {
  if constexpr (F::kTakesFloats) {
    compare<F, float>(text);
    compare<F, double>(text);
  }
  // The core has other texts for ints instead of those for truth values and of absolute(), and for
  // truth values instead of ~.
  const bool is_of_ints =
      text.find("absolute") == std::string_view::npos &&
      (text.find('!') == std::string_view::npos || text.find("!=") != std::string_view::npos);
  if constexpr (F::kTakesInts) {
    if (is_of_ints) {
      compare<F, int32_t>(text);
      compare<F, int64_t>(text);
    }
  }
  const bool is_of_bools = text.find('~') == std::string_view::npos;
  if constexpr (F::kTakesBools) {
    if (is_of_bools) compare<F, bool>(text);
  }
}

TEST(FormulaFunctors, ComputeWhatTheirTextsSay){
#define OPWRIGHT_COMPARE(functor, text) compare_all<functor>(text);
    OPWRIGHT_FORMULA_LIST(OPWRIGHT_COMPARE)
#undef OPWRIGHT_COMPARE
}

// The list is read off the sources by their paths (devices/cuda/kernels/kernels.cmake).
TEST(FormulaFunctors, HaveTheFormulasThatTheCoreUsesOnDevices) {
  std::set<std::string_view> texts;
#define OPWRIGHT_ADD_TEXT(functor, text) texts.insert(text);
  OPWRIGHT_FORMULA_LIST(OPWRIGHT_ADD_TEXT)
#undef OPWRIGHT_ADD_TEXT

  for (const std::string_view formula : device_formula::kAll) {
    EXPECT_TRUE(texts.contains(formula)) << formula;
  }
}

}  // namespace
}  // namespace opwright::cuda
