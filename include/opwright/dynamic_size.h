// new_dynamic_size: a size that depends on data, for fake kernels.
#pragma once

#include <cstdint>
#include <optional>

#include "opwright/registration/operator_handle.h"

namespace opwright OPWRIGHT_VISIBILITY {
// A size of a result that is known only when the program runs, between `min` and `max`. Throws
// RuntimeError when nothing is being traced: meta tensors outside a trace have no symbols.
inline SymInt new_dynamic_size(int64_t min = 0, const std::optional<int64_t>& max = std::nullopt) {
  return imported<"opwright::new_dynamic_size", SymInt(int64_t, const std::optional<int64_t>&)>(
      min, max);
}
}  // namespace opwright
