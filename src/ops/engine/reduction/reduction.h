// Reductions over some dimensions of a tensor: one description provides the CPU kernel, that of
// other devices and the fake one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "opwright/fake_tensor.h"
#include "opwright/ops/engine/reduction/reduction_table.h"
#include "opwright/ops/engine/shape/reduction_shape.h"

namespace opwright {

using OptionalDims = std::optional<std::span<const int64_t>>;

// One call of an operator, for the dtype and number of dimensions of its input.
struct Reduction {
  const char* who;  // the operator's name in errors
  const FoldTable* kernels;
  const char* fold = nullptr;  // its name on devices (OpwFold): "sum"; null: CPU only
  const char* takes;           // the supported dtypes, for error messages
  DimSet folded;
  bool keepdim = false;
  DType compute{};  // the compute dtype
  DType result{};
  bool needs_elements = false;  // undefined for zero elements
  double correction = 0;
  // Elements are first converted to this dtype, then to `compute`.
  std::optional<DType> rounded_to = std::nullopt;
  double order = 0;         // of a norm
  bool takes_root = false;  // the result is the square root of the device's reduction
};

[[nodiscard]] Tensor reduce(const Tensor& self, const Reduction& reduction);
[[nodiscard]] FakeTensor reduce(const FakeTensor& self, const Reduction& reduction);

// For a reduction that selects an element: its value and its index in the one reduced dimension.
[[nodiscard]] std::tuple<Tensor, Tensor> reduce_with_indices(const Tensor& self,
                                                             const Reduction& reduction);
[[nodiscard]] std::tuple<FakeTensor, FakeTensor> reduce_with_indices(const FakeTensor& self,
                                                                     const Reduction& reduction);
// Its index only; over all dimensions it is the index in logical order.
[[nodiscard]] Tensor reduce_to_indices(const Tensor& self, const Reduction& reduction);
[[nodiscard]] FakeTensor reduce_to_indices(const FakeTensor& self, const Reduction& reduction);

}  // namespace opwright
