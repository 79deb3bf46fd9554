// Reductions: a fold over some dimensions of a tensor, with the CPU's kernel, that of other devices
// and the fake one from one description.
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

// One call of an operator, as the dtype and the number of dimensions of its input decide it.
struct Reduction {
  const char* who;  // as errors name the operator
  const FoldTable* kernels;
  const char* fold = nullptr;  // as devices know it (OpwFold): "sum"; null: the CPU alone folds
  const char* takes;           // the dtypes with a kernel, for the refusal of others
  DimSet folded;
  bool keepdim = false;
  DType compute{};  // what elements are converted to
  DType result{};
  bool needs_elements = false;  // there is no value of none
  double correction = 0;
  // Elements are converted to this dtype before they are converted to `compute`.
  std::optional<DType> rounded_to = std::nullopt;
  double order = 0;         // of a norm
  bool takes_root = false;  // the result is the square root of the fold that devices know
};

[[nodiscard]] Tensor reduce(const Tensor& self, const Reduction& reduction);
[[nodiscard]] FakeTensor reduce(const FakeTensor& self, const Reduction& reduction);

// Of a fold that finds an element: its value and its index in the one folded dimension.
[[nodiscard]] std::tuple<Tensor, Tensor> reduce_with_indices(const Tensor& self,
                                                             const Reduction& reduction);
[[nodiscard]] std::tuple<FakeTensor, FakeTensor> reduce_with_indices(const FakeTensor& self,
                                                                     const Reduction& reduction);
// Its index alone; of all dimensions that in the order of the elements.
[[nodiscard]] Tensor reduce_to_indices(const Tensor& self, const Reduction& reduction);
[[nodiscard]] FakeTensor reduce_to_indices(const FakeTensor& self, const Reduction& reduction);

}  // namespace opwright
