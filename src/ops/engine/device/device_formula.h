// Formulas that the core uses on devices besides those of pointwise operations. A device with loops
// compiled ahead of time needs this list too.
#pragma once

#include <array>

namespace opwright::device_formula {

inline constexpr const char* kCopy = "x";
inline constexpr const char* kFill = "a";
inline constexpr const char* kChoose = "x ? y : z";
inline constexpr const char* kIsEitherTrue = "x != 0 || y != 0";  // of real and imaginary part
inline constexpr const char* kRoot = "sqrt(x)";
// Optimizer steps.
inline constexpr const char* kWeightedSum = "a * x + b * y";
inline constexpr const char* kWeightedSquare = "a * x + b * y * y";
inline constexpr const char* kGreatest = "maximum(x, y)";
inline constexpr const char* kAdamStep = "a * x - b * y / (sqrt(z) + c)";

inline constexpr std::array kAll{kCopy,        kFill,           kChoose,   kIsEitherTrue, kRoot,
                                 kWeightedSum, kWeightedSquare, kGreatest, kAdamStep};

}  // namespace opwright::device_formula
