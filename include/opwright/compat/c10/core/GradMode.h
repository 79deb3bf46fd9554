// Guards of PyTorch's autograd, and whether calls on this thread are recorded.
//
// Calls made by a kernel for a device are never recorded, so the guards do nothing there; they
// matter in composite bodies and in kernels for Autograd keys.
#pragma once

#include <optional>

#include "opwright/registration/operator_handle.h"

namespace c10 OPWRIGHT_VISIBILITY {
// How many functions whose calls may be recorded run on this thread.
inline constinit thread_local int recorded_functions OPWRIGHT_TLS_MODEL = 0;

class RecordedFunctionScope {
 public:
  RecordedFunctionScope() noexcept { ++recorded_functions; }
  RecordedFunctionScope(const RecordedFunctionScope&) = delete;
  RecordedFunctionScope& operator=(const RecordedFunctionScope&) = delete;
  ~RecordedFunctionScope() { --recorded_functions; }
};

struct GradMode {
  template <int = 0>  // a template: only binaries that use it import it
  static bool is_enabled() {
    return set({});
  }
  template <int = 0>
  static void set_enabled(bool enabled) {
    set(enabled);
  }

 private:
  friend struct AutoGradMode;
  template <int = 0>
  static bool set(std::optional<bool> enabled) {
    return opwright::imported<"opwright::set_grad_enabled", bool(std::optional<bool>)>(enabled);
  }
};

// Sets a state of the thread until the end of the scope.
class RecordingGuard {
 public:
  RecordingGuard(const RecordingGuard&) = delete;
  RecordingGuard& operator=(const RecordingGuard&) = delete;
  ~RecordingGuard() {
    // A host in Python may fail once because it was interrupted.
    if (set_ && !restores()) (void)restores();
  }

 protected:
  RecordingGuard(bool (*set)(bool), bool value)
      : set_(recorded_functions > 0 ? set : nullptr), previous_(set_ && set_(value)) {}

 private:
  // Whether it did.
  [[nodiscard]] bool restores() const noexcept {
    try {
      set_(previous_);
      return true;
    } catch (...) {
      return false;
    }
  }

  bool (*set_)(bool);  // null: nothing to do
  bool previous_;
};

struct AutoGradMode : RecordingGuard {
  template <int = 0>
  explicit AutoGradMode(bool enabled)
      : RecordingGuard([](bool value) { return GradMode::set(value); }, enabled) {}
};
struct NoGradGuard : AutoGradMode {
  template <int = 0>
  NoGradGuard() : AutoGradMode(false) {}
};

// Calls inside are not recorded.
struct AutoDispatchBelowAutograd : RecordingGuard {
  template <int = 0>
  AutoDispatchBelowAutograd()
      : RecordingGuard(
            [](bool below) {
              return opwright::imported<"opwright::set_below_autograd", bool(bool)>(below);
            },
            true) {}
};
struct AutoDispatchBelowADInplaceOrView : AutoDispatchBelowAutograd {
  template <int = 0>
  AutoDispatchBelowADInplaceOrView() {}  // NOLINT: avoids unused-variable warnings
};
}  // namespace c10
namespace at OPWRIGHT_VISIBILITY {
using namespace c10;
}  // namespace at
