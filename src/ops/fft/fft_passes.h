// The passes of a forward transform, over numbers or over vectors of lines. The inverse is the
// forward transform with real and imaginary parts exchanged before and after it.
#pragma once

#include <cstdint>
#include <numbers>
#include <type_traits>
#include <utility>

#include "opwright/ops/engine/cpu/cpu_level.h"
#include "opwright/ops/fft/fft_plan.h"

namespace opwright {

template <class Vector>
OPWRIGHT_INLINE ComplexPair<Vector> operator+(const ComplexPair<Vector>& a,
                                              const ComplexPair<Vector>& b) {
  return {a.real + b.real, a.imag + b.imag};
}
template <class Vector>
OPWRIGHT_INLINE ComplexPair<Vector> operator-(const ComplexPair<Vector>& a,
                                              const ComplexPair<Vector>& b) {
  return {a.real - b.real, a.imag - b.imag};
}
template <class Vector, class T>
OPWRIGHT_INLINE ComplexPair<Vector> scale_pair(const ComplexPair<Vector>& a, T factor) {
  return {a.real * factor, a.imag * factor};
}
template <class Vector>
OPWRIGHT_INLINE ComplexPair<Vector> times_minus_i(const ComplexPair<Vector>& a) {
  return {a.imag, -a.real};
}
template <class Vector, class T>
OPWRIGHT_INLINE ComplexPair<Vector> rotate(const ComplexPair<Vector>& a, const ComplexPair<T>& w) {
  return {a.real * w.real - a.imag * w.imag, a.real * w.imag + a.imag * w.real};
}

// The inputs of butterfly `group` and repetition `at` are `step` apart, the outputs `stride`.
template <int64_t kRadix, class T, class Vector>
struct Butterfly {
  OPWRIGHT_INLINE static void run(const ComplexPair<Vector>* in, int64_t step,
                                  ComplexPair<Vector>* out, int64_t stride,
                                  const ComplexPair<T>* twiddle) {
    if constexpr (kRadix == 2) {
      const auto a = in[0];
      const auto b = in[step];
      out[0] = a + b;
      out[stride] = rotate(a - b, twiddle[0]);
    } else if constexpr (kRadix == 3) {
      constexpr T kSine = std::numbers::sqrt3_v<T> / 2;
      const auto a = in[0];
      const auto sum = in[step] + in[2 * step];
      const auto turned = times_minus_i(scale_pair(in[step] - in[2 * step], kSine));
      const auto middle = a - scale_pair(sum, T(0.5));
      out[0] = a + sum;
      out[stride] = rotate(middle + turned, twiddle[0]);
      out[2 * stride] = rotate(middle - turned, twiddle[1]);
    } else if constexpr (kRadix == 4) {
      const auto sum = in[0] + in[2 * step];
      const auto difference = in[0] - in[2 * step];
      const auto other_sum = in[step] + in[3 * step];
      const auto turned = times_minus_i(in[step] - in[3 * step]);
      out[0] = sum + other_sum;
      out[stride] = rotate(difference + turned, twiddle[0]);
      out[2 * stride] = rotate(sum - other_sum, twiddle[1]);
      out[3 * stride] = rotate(difference - turned, twiddle[2]);
    } else {
      static_assert(kRadix == 5);
      constexpr T kCosine1 = T(0.309016994374947424102293417182819059);
      constexpr T kCosine2 = T(-0.809016994374947424102293417182819059);
      constexpr T kSine1 = T(0.951056516295153572116439333379382143);
      constexpr T kSine2 = T(0.587785252292473129168705954639072769);
      const auto a = in[0];
      const auto sum1 = in[step] + in[4 * step];
      const auto sum2 = in[2 * step] + in[3 * step];
      const auto difference1 = in[step] - in[4 * step];
      const auto difference2 = in[2 * step] - in[3 * step];
      const auto middle1 = a + scale_pair(sum1, kCosine1) + scale_pair(sum2, kCosine2);
      const auto middle2 = a + scale_pair(sum1, kCosine2) + scale_pair(sum2, kCosine1);
      const auto turned1 =
          times_minus_i(scale_pair(difference1, kSine1) + scale_pair(difference2, kSine2));
      const auto turned2 =
          times_minus_i(scale_pair(difference1, kSine2) - scale_pair(difference2, kSine1));
      out[0] = a + sum1 + sum2;
      out[stride] = rotate(middle1 + turned1, twiddle[0]);
      out[2 * stride] = rotate(middle2 + turned2, twiddle[1]);
      out[3 * stride] = rotate(middle2 - turned2, twiddle[2]);
      out[4 * stride] = rotate(middle1 - turned1, twiddle[3]);
    }
  }
};

template <int64_t kRadix, class T, class Vector>
OPWRIGHT_INLINE void run_pass(const FftPass& pass, const ComplexPair<T>* twiddles,
                              const ComplexPair<Vector>* in, ComplexPair<Vector>* out) {
  const int64_t stride = pass.stride;
  const int64_t step = stride * pass.groups;
  for (int64_t group = 0; group < pass.groups; ++group) {
    const ComplexPair<T>* twiddle = twiddles + group * (kRadix - 1);
    for (int64_t at = 0; at < stride; ++at)
      Butterfly<kRadix, T, Vector>::run(in + group * stride + at, step,
                                        out + group * kRadix * stride + at, stride, twiddle);
  }
}

// An odd radix: sums of pairs k and radix - k times cosines, differences times sines.
template <class T, class Vector>
OPWRIGHT_INLINE void run_odd_pass(const FftPass& pass, const ComplexPair<T>* twiddles,
                                  const ComplexPair<T>* roots, const ComplexPair<Vector>* in,
                                  ComplexPair<Vector>* out) {
  const int64_t stride = pass.stride;
  const int64_t radix = pass.radix;
  const int64_t step = stride * pass.groups;
  ComplexPair<Vector> sums[kLargestFactor / 2];
  ComplexPair<Vector> differences[kLargestFactor / 2];
  for (int64_t group = 0; group < pass.groups; ++group) {
    const ComplexPair<T>* twiddle = twiddles + group * (radix - 1);
    for (int64_t at = 0; at < stride; ++at) {
      const ComplexPair<Vector>* from = in + group * stride + at;
      ComplexPair<Vector>* to = out + group * radix * stride + at;
      ComplexPair<Vector> total = from[0];
      for (int64_t j = 1; j <= radix / 2; ++j) {
        sums[j - 1] = from[j * step] + from[(radix - j) * step];
        differences[j - 1] = from[j * step] - from[(radix - j) * step];
        total = total + sums[j - 1];
      }
      to[0] = total;
      for (int64_t k = 1; k <= radix / 2; ++k) {
        ComplexPair<Vector> even = from[0];
        ComplexPair<Vector> odd = scale_pair(differences[0], -roots[k].imag);
        even = even + scale_pair(sums[0], roots[k].real);
        for (int64_t j = 2; j <= radix / 2; ++j) {
          const ComplexPair<T>& root = roots[j * k % radix];
          even = even + scale_pair(sums[j - 1], root.real);
          odd = odd + scale_pair(differences[j - 1], -root.imag);
        }
        const ComplexPair<Vector> turned = times_minus_i(odd);
        to[k * stride] = rotate(even + turned, twiddle[k - 1]);
        to[(radix - k) * stride] = rotate(even - turned, twiddle[radix - k - 1]);
      }
    }
  }
}

// Transforms plan.length numbers in `line`; returns where the result is: `line` or `scratch`. Not
// for a plan with a convolution.
template <class T, class Vector>
OPWRIGHT_INLINE ComplexPair<Vector>* run_passes(const FftPlan<T>& plan, ComplexPair<Vector>* line,
                                                ComplexPair<Vector>* scratch) {
  for (const FftPass& pass : plan.passes) {
    const ComplexPair<T>* twiddles = plan.twiddles.data() + pass.first_twiddle;
    switch (pass.radix) {
      case 2:
        run_pass<2, T, Vector>(pass, twiddles, line, scratch);
        break;
      case 3:
        run_pass<3, T, Vector>(pass, twiddles, line, scratch);
        break;
      case 4:
        run_pass<4, T, Vector>(pass, twiddles, line, scratch);
        break;
      case 5:
        run_pass<5, T, Vector>(pass, twiddles, line, scratch);
        break;
      default:
        run_odd_pass<T, Vector>(pass, twiddles, plan.roots.data() + pass.first_root, line, scratch);
    }
    std::swap(line, scratch);
  }
  return line;
}

// Transforms `memory`, which has plan.scratch_length() numbers, the line first; returns where the
// result is. A plan with a convolution transforms, multiplies and transforms back; the passes are
// called at one place, since each inlined copy has all radices.
template <class T, class Vector>
OPWRIGHT_INLINE ComplexPair<Vector>* run_transform(const FftPlan<T>& plan,
                                                   ComplexPair<Vector>* memory) {
  ComplexPair<Vector>* line = memory;
  ComplexPair<Vector>* scratch = memory + plan.scratch_length() / 2;
  const bool convolves = plan.convolution != nullptr;
  const FftPlan<T>& passes = convolves ? *plan.convolution : plan;
  if (convolves) {
    for (int64_t k = 0; k < plan.length; ++k) line[k] = rotate(line[k], plan.chirp[k]);
    for (int64_t k = plan.length; k < passes.length; ++k) line[k] = {Vector{}, Vector{}};
  }
  for (bool is_first = true;; is_first = false) {
    ComplexPair<Vector>* result = run_passes<T, Vector>(passes, line, scratch);
    if (!convolves) return result;
    if (result != line) std::swap(line, scratch);
    if (!is_first) break;
    // The inverse transform exchanges parts, as everywhere.
    for (int64_t k = 0; k < passes.length; ++k) {
      const ComplexPair<Vector> each = rotate(line[k], plan.chirp_transform[k]);
      line[k] = {each.imag, each.real};
    }
  }
  for (int64_t k = 0; k < plan.length; ++k) {
    const ComplexPair<Vector> each{line[k].imag, line[k].real};
    line[k] = rotate(each, plan.chirp[k]);
  }
  return line;
}

}  // namespace opwright
