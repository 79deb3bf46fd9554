// Compares two results that should be equal and describes the first difference.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "opwright/check/example/outcome.h"
#include "opwright/dtype.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {

struct Tolerance {
  double rtol = 0;
  double atol = 0;
  // How far results may differ by rounding, by dtype; the same values as PyTorch's assert_close.
  [[nodiscard]] static Tolerance of(DType dtype);
};

struct ComparisonOptions {
  // Not set: by dtype. {0, 0}: bitwise equal (all nans are equal).
  std::optional<Tolerance> tolerance = std::nullopt;
  bool strides = false;  // also compare strides of dimensions larger than 1
};

// "element [1, 2] is 3 and should be 4 (5 of 12 elements differ)", "its sizes are [3] and should be
// [4]"; nullopt if they agree. Gradients are ignored.
[[nodiscard]] std::optional<std::string> find_difference(const Tensor& is, const Tensor& should,
                                                         const ComparisonOptions& options = {});
// Any values: ints, lists, strings, tensors.
[[nodiscard]] std::optional<std::string> find_difference(const OpwValue& is, const OpwValue& should,
                                                         const ComparisonOptions& options = {});
// Two successful outcomes: "result 2: element ...", "argument 'x' after the call: ...". Only
// arguments that the schema marks as written are compared.
[[nodiscard]] std::optional<std::string> find_difference(const Outcome& is, const Outcome& should,
                                                         const ComparisonOptions& options = {});

}  // namespace opwright
