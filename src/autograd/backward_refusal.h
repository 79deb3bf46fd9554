// Errors of nodes that cannot run: saved values were freed or modified, or there is no formula.
//
// Eager code raises them only if a backward runs. Code that traces a backward in advance observes
// them with a scope, to tell them from errors of the formulas themselves.
#pragma once

#include <string_view>

#include "opwright/visibility.h"

namespace opwright {

// Notes whether a node refused to run on this thread. Scopes nest; the innermost one is notified.
class [[nodiscard]] BackwardRefusalScope {
 public:
  BackwardRefusalScope() noexcept;
  ~BackwardRefusalScope();
  BackwardRefusalScope(const BackwardRefusalScope&) = delete;
  BackwardRefusalScope& operator=(const BackwardRefusalScope&) = delete;

  [[nodiscard]] bool has_refused() const noexcept { return has_refused_; }
  void notify() noexcept { has_refused_ = true; }

 private:
  BackwardRefusalScope* outer_;
  bool has_refused_ = false;
};

// Notifies the scope of this thread, if there is one, and throws the error.
[[noreturn]] OPWRIGHT_EXPORT void throw_backward_refusal(std::string_view kind,
                                                         std::string_view text);

}  // namespace opwright
