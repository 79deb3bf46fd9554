// Two results of what should be one thing, compared: the first difference in words.
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
  // What differs by rounding may differ by: for a dtype, as PyTorch's assert_close has it.
  [[nodiscard]] static Tolerance of(DType dtype);
};

struct ComparisonOptions {
  // Not set: by dtype. {0, 0}: the same bytes (nan is nan).
  std::optional<Tolerance> tolerance = std::nullopt;
  bool strides = false;  // strides of sizes over 1 are compared too
};

// "element [1, 2] is 3 and should be 4 (5 of 12 elements differ)", "its sizes are [3] and should be
// [4]"; nothing: they agree. A gradient is not looked at.
[[nodiscard]] std::optional<std::string> find_difference(const Tensor& is, const Tensor& should,
                                                         const ComparisonOptions& options = {});
// Of any values: ints, lists, strings, tensors.
[[nodiscard]] std::optional<std::string> find_difference(const OpwValue& is, const OpwValue& should,
                                                         const ComparisonOptions& options = {});
// Of two outcomes that did not fail: "result 2: element ...", "argument 'x' after the call: ...".
// Only arguments that the schema marks as written are compared.
[[nodiscard]] std::optional<std::string> find_difference(const Outcome& is, const Outcome& should,
                                                         const ComparisonOptions& options = {});

}  // namespace opwright
