// The Hurwitz zeta function, for zeta and polygamma.
#pragma once

namespace opwright {

// The sum of (q + k)^-s over all k >= 0. Infinite for s = 1 and at a pole q = 0, -1, ...; NaN for
// s < 1, and for a negative q unless s is an integer.
[[nodiscard]] double hurwitz_zeta(double s, double q);

}  // namespace opwright
