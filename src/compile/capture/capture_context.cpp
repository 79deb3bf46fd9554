#include "opwright/compile/capture/capture_context.h"

#include <cstddef>
#include <string>

#include "opwright/dispatch/mode.h"
#include "opwright/error.h"
#include "opwright/transforms/mode/autocast.h"

namespace opwright {
namespace {

std::string state_text(const char* what, bool is_on) {
  return concatenate(what, is_on ? " is on, it was off" : " is off, it was on");
}

}  // namespace

CaptureContext::CaptureContext() : attention_(thread_state().attention) {
  for (const Mode* mode = thread_state().modes; mode; mode = mode->outer()) {
    const auto* autocast = dynamic_cast<const Autocast*>(mode);
    if (!autocast) continue;
    autocast_.push_back({autocast->device(), autocast->dtype(), autocast->is_enabled()});
  }
}

bool CaptureContext::has_autocast_alone() noexcept {
  for (const Mode* mode = thread_state().modes; mode; mode = mode->outer()) {
    if (!dynamic_cast<const Autocast*>(mode)) return false;
  }
  return true;
}

bool CaptureContext::has_same_autocast() const noexcept {
  size_t next = 0;
  for (const Mode* mode = thread_state().modes; mode; mode = mode->outer(), ++next) {
    const auto* autocast = dynamic_cast<const Autocast*>(mode);
    if (!autocast || next == autocast_.size()) return false;
    const AutocastState& state = autocast_[next];
    if (autocast->device() != state.device || autocast->dtype() != state.dtype ||
        autocast->is_enabled() != state.is_enabled)
      return false;
  }
  return next == autocast_.size();
}

std::string CaptureContext::find_difference() const {
  const uint32_t now = thread_state().attention;
  const uint32_t changed = now ^ attention_;
  if (changed & kAttentionInference)
    return state_text("inference mode", (now & kAttentionInference) != 0);
  if (changed & (kAttentionGradOff | kAttentionBelowRecording)) {
    return state_text("grad mode", (now & (kAttentionGradOff | kAttentionBelowRecording)) == 0);
  }
  if (changed & kAttentionModes) return state_text("autocast", (now & kAttentionModes) != 0);
  if (thread_state().modes && !has_same_autocast()) return "autocast has another dtype or device";
  return "";
}

}  // namespace opwright
