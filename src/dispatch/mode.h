// Modes rewrite the user's call before any transform sees it: autocast, debug checks, user dispatch
// modes.
#pragma once

#include "opwright/base/thread_state.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/visibility.h"

namespace opwright {

class Operator;

class OPWRIGHT_EXPORT Mode {
 public:
  Mode() = default;
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;
  virtual ~Mode() = default;

  // Handles the call and returns true, or leaves it to the next outer mode. Only outer modes see
  // the calls that it makes itself.
  virtual bool process(const Operator& op, Arguments args, Results results) = 0;

  [[nodiscard]] Mode* outer() const { return outer_; }

 private:
  friend class ModeScope;
  Mode* outer_ = nullptr;
};

// Makes `mode` the innermost one until the end of the scope. A mode is in one scope at a time.
class [[nodiscard]] ModeScope {
 public:
  explicit ModeScope(Mode& mode) noexcept : mode_(mode) {
    mode.outer_ = thread_state().set_modes(&mode);
  }
  ~ModeScope() { thread_state().set_modes(mode_.outer_); }
  ModeScope(const ModeScope&) = delete;
  ModeScope& operator=(const ModeScope&) = delete;

 private:
  Mode& mode_;
};

}  // namespace opwright
