// LU factors, which equations, inverses and determinants share.
#pragma once

#include "opwright/fake_tensor.h"
#include "opwright/tensor.h"

namespace opwright {

struct LuFactors {
  Tensor lu;      // column-major
  Tensor pivots;  // int32, from 1
  Tensor info;    // int32, per matrix: the place of the first zero on the diagonal of U, or 0
};
struct FakeLuFactors {
  FakeTensor lu;
  FakeTensor pivots;
  FakeTensor info;
};
[[nodiscard]] LuFactors factor_lu(const Tensor& A);
[[nodiscard]] FakeLuFactors fake_lu(const FakeTensor& A);

}  // namespace opwright
