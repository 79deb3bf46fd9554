// For programs that link the core: operators in lower precision where that is safe.
//
//   const opwright::AutocastScope autocast;  // bfloat16 on the cpu
//   const Tensor loss = opwright::cross_entropy_loss(model(x), target);
//
// Products and convolutions run in the lower dtype, what loses too much there in float32; each
// operator says which (`autocast:` in src/ops/functions.yaml, register_autocast). The casts are
// recorded calls, so gradients have the dtype of the tensor that they belong to. Operator binaries
// do not include this.
#pragma once

#include <memory>
#include <optional>

#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/visibility.h"

namespace opwright OPWRIGHT_VISIBILITY {
class Autocast;

// For tensors of the device's type, on this thread, until the end of the scope. Without a dtype:
// bfloat16 on the cpu, float16 elsewhere; ValueError for any other than these two. A scope that is
// not enabled stops those outside of it. Casts of leaves that require grad are kept until the
// outermost scope ends, unless `keeps_casts` is false.
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

// Of this thread and the device's type.
[[nodiscard]] OPWRIGHT_EXPORT bool is_autocast_enabled(Device device = kCpu);
// The dtype of the innermost scope, enabled or not; without one what a scope would take.
[[nodiscard]] OPWRIGHT_EXPORT DType autocast_dtype(Device device = kCpu);
}  // namespace opwright
