// How tensors are printed. The options are the process's, as in PyTorch.
#pragma once

#include <cstdint>
#include <optional>

#include "opwright/visibility.h"

namespace opwright {

struct PrintOptions {
  int64_t precision = 4;              // digits after the point
  int64_t threshold = 1000;           // tensors with more elements are shortened
  int64_t edge_items = 3;             // shown at each end of a shortened dimension
  int64_t line_width = 80;            // characters
  std::optional<bool> is_scientific;  // without it the elements decide
};

// May be called from any thread.
[[nodiscard]] OPWRIGHT_EXPORT PrintOptions print_options();
// ValueError for a negative number or a precision above 40.
OPWRIGHT_EXPORT void set_print_options(const PrintOptions& options);

}  // namespace opwright
