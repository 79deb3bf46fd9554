// The types and constants of namespace torch.
#pragma once

#include "opwright/compat/ATen/ATen.h"

namespace torch OPWRIGHT_VISIBILITY {
using namespace at;  // as in PyTorch: every name of at is one of torch

using Dtype = at::ScalarType;

inline constexpr Dtype kUInt8 = at::kByte;
inline constexpr Dtype kInt8 = at::kChar;
inline constexpr Dtype kInt16 = at::kShort;
inline constexpr Dtype kInt32 = at::kInt;
inline constexpr Dtype kInt64 = at::kLong;
inline constexpr Dtype kFloat16 = at::kHalf;
inline constexpr Dtype kFloat32 = at::kFloat;
inline constexpr Dtype kFloat64 = at::kDouble;
inline constexpr Dtype kComplex64 = at::kComplexFloat;
inline constexpr Dtype kComplex128 = at::kComplexDouble;
inline constexpr Dtype kU8 = kUInt8;
inline constexpr Dtype kI8 = kInt8;
inline constexpr Dtype kI16 = kInt16;
inline constexpr Dtype kI32 = kInt32;
inline constexpr Dtype kI64 = kInt64;
inline constexpr Dtype kF16 = kFloat16;
inline constexpr Dtype kF32 = kFloat32;
inline constexpr Dtype kF64 = kFloat64;
}  // namespace torch
