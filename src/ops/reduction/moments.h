// Mean and squared deviations as a reduction, for variances and norms: two passes per block; blocks
// are merged by Chan's method, in double.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "opwright/ops/engine/reduction/reduction_kernel.h"

namespace opwright {

template <class T>
using RealOf =
    std::conditional_t<std::is_same_v<T, Complex<float>>, float,
                       std::conditional_t<std::is_same_v<T, Complex<double>>, double, T>>;

template <class T>
struct Moments {
  using Mean = std::conditional_t<kIsComplex<T>, Complex<double>, double>;
  Mean mean;
  double deviations;  // the sum of |x - mean|^2
  int64_t count;
};

OPWRIGHT_INLINE double square(double x) { return x * x; }
OPWRIGHT_INLINE double square(Complex<double> x) { return x.real * x.real + x.imag * x.imag; }

// Sums x - mean and its square in one pass.
template <class T>
struct Deviation {
  T sum;
  RealOf<T> squares;
};

template <class T>
OPWRIGHT_INLINE Moments<T> make_moments(T rounded_mean, Deviation<T> deviation, int64_t count) {
  using Mean = typename Moments<T>::Mean;
  const auto number = static_cast<double>(count);
  // The mean was rounded: the sum of the deviations shows by how much.
  const Mean rest = convert_number<Mean>(deviation.sum) / Mean(number);
  const double squares = static_cast<double>(deviation.squares) - square(rest) * number;
  return {convert_number<Mean>(rounded_mean) + rest, squares < 0 ? 0.0 : squares, count};
}

template <class T>
OPWRIGHT_INLINE RealOf<T> squared_magnitude(T x) {
  if constexpr (kIsComplex<T>)
    return x.real * x.real + x.imag * x.imag;
  else
    return x * x;
}

// Squares that overflow in float do not in double.
[[gnu::cold, gnu::noinline]] inline Moments<float> find_wide_moments(const float* const* rows,
                                                                     int64_t num_rows,
                                                                     int64_t column,
                                                                     int64_t row_length) {
  double sum = 0;
  for (int64_t row = 0; row < num_rows; ++row) {
    for (int64_t i = 0; i < row_length; ++i) sum += static_cast<double>(rows[row][column + i]);
  }
  const double mean = sum / static_cast<double>(num_rows * row_length);
  double deviations = 0;
  for (int64_t row = 0; row < num_rows; ++row) {
    for (int64_t i = 0; i < row_length; ++i)
      deviations += square(static_cast<double>(rows[row][column + i]) - mean);
  }
  return {mean, deviations, num_rows * row_length};
}

template <class T>
struct Variance {
  using State = Moments<T>;
  static State merge(const State& a, const State& b) {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const auto count = static_cast<double>(a.count + b.count);
    const double share = static_cast<double>(b.count) / count;
    const auto distance = b.mean - a.mean;
    using Mean = typename State::Mean;
    return {a.mean + distance * Mean(share),
            a.deviations + b.deviations + square(distance) * static_cast<double>(a.count) * share,
            a.count + b.count};
  }
};

template <class F, class T>
struct MomentLoops {
  using State = Moments<T>;
  using Real = RealOf<T>;
  static constexpr DType kResult = dtype_of<Real>();
  static constexpr int64_t kLanes = 32;

  struct PlainSum {
    OPWRIGHT_INLINE static T identity() { return T{}; }
    OPWRIGHT_INLINE static T step(T sum, T term) { return sum + term; }
    OPWRIGHT_INLINE static T merge(T a, T b) { return a + b; }
    static T finish(T sum, const FoldNumbers& /*numbers*/) { return sum; }
  };

  OPWRIGHT_INLINE static T mean_of(T sum, int64_t count) {
    const auto number = static_cast<Real>(count);
    if constexpr (kIsComplex<T>)
      return {sum.real / number, sum.imag / number};
    else
      return sum / number;
  }

  OPWRIGHT_INLINE static void run(State& state, const T* elements, int64_t count, int64_t first) {
    if (count == 0) {
      state = {};
      return;
    }
    T sum;
    FoldLoops<PlainSum, T>::run(sum, elements, count, first);
    const T mean = mean_of(sum, count);
    T sums[kLanes] = {};
    Real squares[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      for (int64_t k = 0; k < kLanes; ++k) {
        const T distance = elements[i + k] - mean;
        sums[k] = sums[k] + distance;
        squares[k] = squares[k] + squared_magnitude(distance);
      }
    }
    for (int64_t k = 0; i < count; ++i, ++k) {
      const T distance = elements[i] - mean;
      sums[k] = sums[k] + distance;
      squares[k] = squares[k] + squared_magnitude(distance);
    }
    for (int64_t width = kLanes / 2; width > 0; width /= 2) {
      for (int64_t k = 0; k < width; ++k) {
        sums[k] = sums[k] + sums[k + width];
        squares[k] = squares[k] + squares[k + width];
      }
    }
    state = make_moments<T>(mean, {sums[0], squares[0]}, count);
    if constexpr (std::is_same_v<T, float>) {
      if (!std::isfinite(state.deviations)) state = find_wide_moments(&elements, 1, 0, count);
    }
  }

  OPWRIGHT_INLINE static void rows(State* states, const T* const* rows, int64_t num_rows,
                                   int64_t columns, int64_t /*first*/) {
    if (num_rows == 0) {
      for (int64_t i = 0; i < columns; ++i) states[i] = {};
      return;
    }
    T means[kFoldColumns];
    T sums[kFoldColumns];
    Real squares[kFoldColumns];
    for (int64_t i = 0; i < columns; ++i) means[i] = T{};
    FoldLoops<PlainSum, T>::add_rows(means, rows, num_rows, columns);
    for (int64_t i = 0; i < columns; ++i) {
      means[i] = mean_of(means[i], num_rows);
      sums[i] = T{};
      squares[i] = Real{};
    }
    for (int64_t row = 0; row < num_rows; ++row) {
      const T* elements = rows[row];
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < columns; ++i) {
        const T distance = elements[i] - means[i];
        sums[i] = sums[i] + distance;
        squares[i] = squares[i] + squared_magnitude(distance);
      }
    }
    for (int64_t i = 0; i < columns; ++i) {
      states[i] = make_moments<T>(means[i], {sums[i], squares[i]}, num_rows);
      if constexpr (std::is_same_v<T, float>) {
        if (!std::isfinite(states[i].deviations))
          states[i] = find_wide_moments(rows, num_rows, i, 1);
      }
    }
  }

  static void finish(std::byte* results, int64_t* /*indices*/, const State* states, int64_t count,
                     const FoldNumbers& numbers) {
    auto* out = reinterpret_cast<Real*>(results);
    const double left = static_cast<double>(numbers.count) - numbers.correction;
    const double divisor = left > 0 && numbers.count > 0 ? left : 0.0;
    for (int64_t i = 0; i < count; ++i) out[i] = static_cast<Real>(states[i].deviations / divisor);
  }
};

// The mean only.
template <class T>
using MeanOfMoments = Variance<T>;
template <class F, class T>
struct MeanLoops : MomentLoops<F, T> {
  static constexpr DType kResult = dtype_of<T>();
  static void finish(std::byte* results, int64_t* /*indices*/, const Moments<T>* states,
                     int64_t count, const FoldNumbers& /*numbers*/) {
    auto* out = reinterpret_cast<T*>(results);
    for (int64_t i = 0; i < count; ++i) out[i] = convert_number<T>(states[i].mean);
  }
};

}  // namespace opwright
