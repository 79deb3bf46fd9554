#include "opwright/ops/fft/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <list>
#include <mutex>
#include <numbers>

#include "opwright/error.h"
#include "opwright/ops/fft/fft_passes.h"

namespace opwright {
namespace {

constexpr size_t kCachedPlans = 32;  // per dtype

// e^(-2 pi i k / length), accurate to the last bits of a double: the angle is at most a quarter
// turn.
template <class T>
ComplexPair<T> root_of_unity(int64_t k, int64_t length) {
  k %= length;
  const int64_t quarter = 4 * k / length;
  const long double angle = 2 * std::numbers::pi_v<long double> *
                            static_cast<long double>(4 * k - quarter * length) /
                            static_cast<long double>(4 * length);
  const auto cosine = static_cast<T>(std::cos(angle));
  const auto sine = static_cast<T>(std::sin(angle));
  switch (quarter) {
    case 0:
      return {cosine, -sine};
    case 1:
      return {-sine, -cosine};
    case 2:
      return {-cosine, sine};
    default:
      return {sine, cosine};
  }
}

// Factors in the order of the passes; empty if one is too large.
std::vector<int64_t> factors_of(int64_t length) {
  std::vector<int64_t> factors;
  for (const int64_t factor : {int64_t{4}, int64_t{2}, int64_t{3}, int64_t{5}}) {
    for (; length % factor == 0; length /= factor) factors.push_back(factor);
  }
  for (int64_t factor = 7; factor <= kLargestFactor; factor += 2) {
    for (; length % factor == 0; length /= factor) factors.push_back(factor);
  }
  if (length != 1) factors.clear();
  return factors;
}

template <class T>
void plan_passes(FftPlan<T>& plan, const std::vector<int64_t>& factors) {
  int64_t stride = 1;
  for (const int64_t radix : factors) {
    const int64_t rest = plan.length / stride;
    FftPass pass{.radix = radix,
                 .groups = rest / radix,
                 .stride = stride,
                 .first_twiddle = static_cast<int64_t>(plan.twiddles.size()),
                 .first_root = static_cast<int64_t>(plan.roots.size())};
    for (int64_t group = 0; group < pass.groups; ++group) {
      for (int64_t k = 1; k < radix; ++k)
        plan.twiddles.push_back(root_of_unity<T>(group * k, rest));
    }
    if (radix > 5) {
      for (int64_t k = 0; k < radix; ++k) plan.roots.push_back(root_of_unity<T>(k, radix));
    }
    plan.passes.push_back(pass);
    stride *= radix;
  }
}

// The smallest length from `least` on that has only factors 2, 3 and 5.
int64_t smooth_length(int64_t least) {
  for (int64_t length = least;; ++length) {
    int64_t rest = length;
    for (const int64_t factor : {2, 3, 5}) {
      while (rest % factor == 0) rest /= factor;
    }
    if (rest == 1) return length;
  }
}

template <class T>
void plan_convolution(FftPlan<T>& plan) {
  const int64_t length = plan.length;
  plan.convolution = find_fft_plan<T>(smooth_length(2 * length - 1));
  const auto padded = static_cast<size_t>(plan.convolution->length);
  std::vector<ComplexPair<T>> kernel(2 * padded);
  int64_t square = 0;  // k^2 modulo 2 length
  for (int64_t k = 0; k < length; ++k) {
    const ComplexPair<T> chirp = root_of_unity<T>(square, 2 * length);
    plan.chirp.push_back(chirp);
    const ComplexPair<T> conjugate{chirp.real, -chirp.imag};
    kernel[static_cast<size_t>(k)] = conjugate;
    if (k != 0) kernel[padded - static_cast<size_t>(k)] = conjugate;
    square = (square + 2 * k + 1) % (2 * length);
  }
  ComplexPair<T>* transformed =
      run_passes(*plan.convolution, kernel.data(), kernel.data() + padded);
  plan.chirp_transform.assign(transformed, transformed + padded);
  const T scale = T(1) / static_cast<T>(padded);
  for (ComplexPair<T>& each : plan.chirp_transform) each = {each.real * scale, each.imag * scale};
}

template <class T>
std::shared_ptr<const FftPlan<T>> make_plan(int64_t length) {
  auto plan = std::make_shared<FftPlan<T>>();
  plan->length = length;
  const std::vector<int64_t> factors = factors_of(length);
  if (factors.empty() && length != 1)
    plan_convolution(*plan);
  else
    plan_passes(*plan, factors);
  return plan;
}

}  // namespace

template <class T>
std::vector<ComplexPair<T>> roots_of_unity(int64_t length, int64_t count) {
  std::vector<ComplexPair<T>> roots;
  roots.reserve(static_cast<size_t>(count));
  for (int64_t k = 0; k < count; ++k) roots.push_back(root_of_unity<T>(k, length));
  return roots;
}

// Plans are shared with running transforms, so the oldest can be dropped from the cache.
template <class T>
std::shared_ptr<const FftPlan<T>> find_fft_plan(int64_t length) {
  OPWRIGHT_ASSERT(length >= 1);
  static std::mutex mutex;
  static std::list<std::shared_ptr<const FftPlan<T>>> cache;
  {
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find(cache, length, &FftPlan<T>::length);
    if (found != cache.end()) {
      cache.splice(cache.begin(), cache, found);
      return cache.front();
    }
  }
  std::shared_ptr<const FftPlan<T>> plan = make_plan<T>(length);
  const std::lock_guard lock(mutex);
  cache.push_front(plan);
  if (cache.size() > kCachedPlans) cache.pop_back();
  return plan;
}

template std::shared_ptr<const FftPlan<float>> find_fft_plan(int64_t);
template std::shared_ptr<const FftPlan<double>> find_fft_plan(int64_t);
template std::vector<ComplexPair<float>> roots_of_unity(int64_t, int64_t);
template std::vector<ComplexPair<double>> roots_of_unity(int64_t, int64_t);

}  // namespace opwright
