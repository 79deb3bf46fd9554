// airy_ai: polynomials on [-4, 1]; beyond it, decay (DLMF 9.7.5) and amplitude and phase
// (DLMF 9.7.9) with z = 2/3 |x|^1.5.
#include <cmath>
#include <numbers>

#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/ops/special/airy_coefficients.h"
#include "opwright/ops/special/wide_function.h"

namespace opwright {
namespace {

double decaying_airy(double x) {
  const double root = std::sqrt(x);
  const double z = 2.0 / 3 * x * root;
  return std::exp(-z) / std::sqrt(root) * polynomial<kAiryDecay>(4.0 / 3 / z - 1);
}

double waving_airy(double x) {
  constexpr double kFirst = 16.0 / 3;  // the z of x = -4
  const double root = std::sqrt(-x);
  const double z = -2.0 / 3 * x * root;
  const double ratio = kFirst / z;
  const double t = 2 * ratio * ratio - 1;
  const double phase = z + std::numbers::pi / 4;
  return std::numbers::inv_sqrtpi / std::sqrt(root) *
         (polynomial<kAirySine>(t) * std::sin(phase) -
          polynomial<kAiryCosine>(t) * ratio * std::cos(phase));
}

struct AiryFunction {
  static constexpr bool kIsScalar = true;
  static double of(double x) {
    if (std::isinf(x)) return 0;
    if (x > 1) return decaying_airy(x);
    if (x >= -2) return polynomial<kAiryMiddle>((2 * x + 1) / 3);
    return x >= -4 ? polynomial<kAiryTurn>(x + 3) : waving_airy(x);
  }
};
template <class T>
using Airy = WideFunction<T, AiryFunction>;

}  // namespace

const PointwiseOp& airy_ai_op() {
  static constexpr PointwiseOp op = inexact_float_op<Airy>(1);
  return op;
}

}  // namespace opwright
