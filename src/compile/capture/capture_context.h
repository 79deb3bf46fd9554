// CaptureContext: what this thread is in the middle of, as far as a captured graph depends on it.
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
  // Of this thread, now.
  CaptureContext();

  // Whether nothing but autocast is active: no transform, no other mode, no fake kernel. Elsewhere
  // a compiled function is the function itself.
  [[nodiscard]] static bool is_plain() noexcept {
    const uint32_t attention = thread_state().attention & ~kKept;
    return attention == 0 || (attention == kAttentionModes && has_autocast_alone());
  }
  // Whether this thread is in the same one; it is plain.
  [[nodiscard]] bool is_current() const noexcept {
    const ThreadState& state = thread_state();
    return state.attention == attention_ && (!state.modes || has_same_autocast());
  }
  [[nodiscard]] bool grad_is_enabled() const noexcept {
    return (attention_ & (kAttentionGradOff | kAttentionBelowRecording)) == 0;
  }
  // How it differs from what this thread is in now: "grad mode is on, it was off"; empty: not.
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
  std::vector<AutocastState> autocast_;  // the innermost first
};

// Runs the rest of the scope without modes: a captured graph has what they did in it.
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
