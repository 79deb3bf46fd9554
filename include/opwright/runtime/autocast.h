// For programs that link the core: runs operators in lower precision where that is safe.
//
//   const opwright::AutocastScope autocast;  // bfloat16 on the cpu
//   const Tensor loss = opwright::cross_entropy_loss(model(x), target);
//
// Products and convolutions run in the lower dtype, operators that would lose too much precision
// run in float32; each operator declares which (`autocast:` in src/ops/functions.yaml,
// register_autocast). The casts are recorded calls, so each gradient has the dtype of its tensor.
// Operator binaries do not include this.
#pragma once

#include <memory>
#include <optional>

#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/visibility.h"

namespace opwright OPWRIGHT_VISIBILITY {
class Autocast;

// Applies to tensors of the device's type, on this thread, until the end of the scope. The default
// dtype is that of the enclosing scope, else bfloat16 on the cpu and float16 elsewhere; throws
// ValueError for any other dtype than these two. A scope that is not enabled suspends enclosing
// ones. Casts of leaves that require grad are cached until the outermost scope ends, unless
// `keeps_casts` is false.
class [[nodiscard]] OPWRIGHT_EXPORT AutocastScope {
 public:
  explicit AutocastScope(Device device = kCpu, std::optional<DType> dtype = std::nullopt,
                         bool is_enabled = true, bool keeps_casts = true);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  std::unique_ptr<Autocast> mode_;
};

// For this thread and the device's type.
[[nodiscard]] OPWRIGHT_EXPORT bool is_autocast_enabled(Device device = kCpu);
// The dtype of the innermost scope, enabled or not; without a scope, the default dtype of one.
[[nodiscard]] OPWRIGHT_EXPORT DType autocast_dtype(Device device = kCpu);
// Drops the casts of leaves that the outermost scope of this thread keeps, if there is one.
OPWRIGHT_EXPORT void clear_autocast_cache();
}  // namespace opwright
