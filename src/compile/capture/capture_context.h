// CaptureContext: the thread state that a captured graph depends on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opwright/base/thread_state.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/visibility.h"

namespace opwright {

class OPWRIGHT_EXPORT CaptureContext {
 public:
  // The current state of this thread.
  CaptureContext();

  // Whether nothing but autocast is active: no transform, no other mode, no fake kernel. Otherwise
  // a compiled function calls the function itself.
  [[nodiscard]] static bool is_plain() noexcept {
    const uint32_t attention = thread_state().attention & ~kKept;
    return attention == 0 || (attention == kAttentionModes && has_autocast_alone());
  }
  // Whether this thread is in the same state; it must be plain.
  [[nodiscard]] bool is_current() const noexcept {
    const ThreadState& state = thread_state();
    return state.attention == attention_ && (!state.modes || has_same_autocast());
  }
  [[nodiscard]] bool grad_is_enabled() const noexcept {
    return (attention_ & (kAttentionGradOff | kAttentionBelowRecording)) == 0;
  }
  // How the thread's state differs now: "grad mode is on, it was off"; empty if it does not.
  [[nodiscard]] std::string find_difference() const;

 private:
  static constexpr uint32_t kKept =
      kAttentionGradOff | kAttentionInference | kAttentionBelowRecording;
  struct AutocastState {
    Device device;
    DType dtype;
    bool is_enabled;
  };
  [[nodiscard]] static bool has_autocast_alone() noexcept;
  [[nodiscard]] bool has_same_autocast() const noexcept;

  uint32_t attention_;
  std::vector<AutocastState> autocast_;  // innermost first
};

// Disables modes for the rest of the scope: a captured graph includes their effects.
class [[nodiscard]] WithoutModesScope {
 public:
  WithoutModesScope() noexcept : previous_(thread_state().set_modes(nullptr)) {}
  ~WithoutModesScope() { thread_state().set_modes(previous_); }
  WithoutModesScope(const WithoutModesScope&) = delete;
  WithoutModesScope& operator=(const WithoutModesScope&) = delete;

 private:
  Mode* previous_;
};

}  // namespace opwright
