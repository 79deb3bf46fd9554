// For programs that link the core: whether the calls of this thread are recorded for a backward.
//
//   {
//     const opwright::NoGradScope no_grad;
//     weight.sub_(rate * gradient);
//   }
//
// Operator binaries do not include this: what a kernel calls is never recorded.
#pragma once

#include "opwright/visibility.h"

namespace opwright OPWRIGHT_VISIBILITY {
// Whether results of tensors that require grad will require it. Of this thread.
[[nodiscard]] OPWRIGHT_EXPORT bool is_grad_enabled() noexcept;
// Whether this thread makes inference tensors.
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

// Until the end of the scope nothing is recorded, and what is made is an inference tensor: later it
// can neither be saved for a backward nor be written outside of such a scope. A scope of `false`
// inside of another is a scope of its own without either.
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
