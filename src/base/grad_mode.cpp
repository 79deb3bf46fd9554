#include "opwright/grad_mode.h"

#include "opwright/base/thread_state.h"

namespace opwright {

bool is_grad_enabled() noexcept { return thread_state().grad_is_enabled(); }
bool is_inference_mode_enabled() noexcept { return thread_state().is_inference(); }

GradModeScope::GradModeScope(bool enabled) noexcept
    : previous_(thread_state().set_grad_enabled(enabled)) {}
GradModeScope::~GradModeScope() { thread_state().set_grad_enabled(previous_); }

InferenceScope::InferenceScope(bool enabled) noexcept
    : grad_mode_(!enabled), previous_(thread_state().set_inference(enabled)) {}
InferenceScope::~InferenceScope() { thread_state().set_inference(previous_); }

}  // namespace opwright
