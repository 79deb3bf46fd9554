// sin(pi r) and cos(pi r) of |r| <= 1/2, for loops that vectorize. Polynomials in r^2, mapped from
// [0, 1/4] to [-1, 1], from values of 45 digits at Chebyshev nodes.
#pragma once

#include <array>

#include "opwright/ops/special/wide_function.h"

namespace opwright {

inline constexpr std::array<double, 11> kSinPi{
    2.534324262661598,      -0.5697036803076341,     0.03645310559709345,
    -0.0010924320054891753, 1.8956829192485033e-05,  -2.1447169625709586e-07,
    1.7069665389516437e-09, -1.0076966755292542e-11, 4.5881522906943506e-14,
    -1.660268921152644e-16, 4.889330932926818e-19};
inline constexpr std::array<double, 12> kCosPi{
    0.4440158403262132,    -0.49761340533700293,    0.055930528024297856,  -0.002385850182174203,
    5.362463067173684e-05, -7.444329415808439e-07,  7.01856984754409e-09,  -4.7880299452625695e-11,
    2.473259744591577e-13, -1.0009795507164033e-15, 3.259924539303109e-18, -8.727426014465423e-21};

OPWRIGHT_INLINE double sin_pi(double r) { return r * polynomial<kSinPi>(8.0 * r * r - 1.0); }
OPWRIGHT_INLINE double cos_pi(double r) { return polynomial<kCosPi>(8.0 * r * r - 1.0); }

}  // namespace opwright
