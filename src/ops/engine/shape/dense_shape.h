// Layout checks made in every call: small loops, because a general solution would cost more than a
// small call.
#pragma once

#include <algorithm>
#include <cstdint>

#include "opwright/c_api.h"

namespace opwright {

// Whether the strides are exactly those of a new tensor.
[[nodiscard]] inline bool is_dense(const OpwDlTensor& shown) {
  int64_t next = 1;
  for (int32_t i = shown.ndim; i-- > 0;) {
    if (shown.strides[i] != next) return false;
    next *= std::max<int64_t>(shown.shape[i], 1);
  }
  return true;
}

[[nodiscard]] inline bool have_same_sizes(const OpwDlTensor& a, const OpwDlTensor& b) {
  if (&a == &b) return true;
  if (a.ndim != b.ndim) return false;
  for (int32_t i = 0; i < a.ndim; ++i) {
    if (a.shape[i] != b.shape[i]) return false;
  }
  return true;
}

[[nodiscard]] inline int64_t numel_of(const OpwDlTensor& shown) {
  int64_t numel = 1;
  for (int32_t i = 0; i < shown.ndim; ++i) numel *= shown.shape[i];
  return numel;
}

}  // namespace opwright
