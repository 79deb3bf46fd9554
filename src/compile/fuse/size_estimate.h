// The value of a size at capture time, for decisions that are valid for any value.
#pragma once

#include <cstdint>

#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"

namespace opwright {

// `env` owns the symbols; null if there are none. `if_unknown` is for data-dependent sizes.
[[nodiscard]] inline int64_t estimate_size(const ShapeEnv* env, const SymInt& size,
                                           int64_t if_unknown = 1) {
  if (!size.is_symbolic()) return size.word();
  return env ? env->hint(size).value_or(if_unknown) : if_unknown;
}

}  // namespace opwright
