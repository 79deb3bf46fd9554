// For programs that link the core: whether calls on this thread are recorded for backward.
//
//   {
//     const opwright::NoGradScope no_grad;
//     weight.sub_(rate * gradient);
//   }
//
// Operator binaries do not include this: calls made by a kernel are never recorded.
#pragma once

#include "opwright/visibility.h"

namespace opwright OPWRIGHT_VISIBILITY {
// Whether results computed from tensors that require grad also require grad. Thread-local.
[[nodiscard]] OPWRIGHT_EXPORT bool is_grad_enabled() noexcept;
// Whether this thread creates inference tensors.
[[nodiscard]] OPWRIGHT_EXPORT bool is_inference_mode_enabled() noexcept;

// Switches recording on or off on this thread until the end of the scope.
class [[nodiscard]] OPWRIGHT_EXPORT GradModeScope {
 public:
  explicit GradModeScope(bool enabled) noexcept;
  ~GradModeScope();
  GradModeScope(const GradModeScope&) = delete;
  GradModeScope& operator=(const GradModeScope&) = delete;

 private:
  bool previous_;
};

class [[nodiscard]] NoGradScope : public GradModeScope {
 public:
  NoGradScope() noexcept : GradModeScope(false) {}
};

class [[nodiscard]] EnableGradScope : public GradModeScope {
 public:
  EnableGradScope() noexcept : GradModeScope(true) {}
};

// Disables recording until the end of the scope and creates inference tensors: these can later
// neither be saved for backward nor be written outside such a scope. A nested scope of `false`
// disables both effects.
class [[nodiscard]] OPWRIGHT_EXPORT InferenceScope {
 public:
  explicit InferenceScope(bool enabled = true) noexcept;
  ~InferenceScope();
  InferenceScope(const InferenceScope&) = delete;
  InferenceScope& operator=(const InferenceScope&) = delete;

 private:
  GradModeScope grad_mode_;
  bool previous_;
};
}  // namespace opwright
