#include "opwright/dispatch/autograd_hooks.h"

#include <atomic>

#include "opwright/base/thread_state.h"

namespace opwright {
namespace {

std::atomic<const AutogradHooks*> current_hooks{nullptr};

}  // namespace

constinit thread_local AutogradSettings this_autograd_settings
    __attribute__((tls_model("initial-exec")));

void set_autograd_hooks(const AutogradHooks* hooks) noexcept {
  current_hooks.store(hooks, std::memory_order_release);
}

const AutogradHooks* autograd_hooks() noexcept {
  return current_hooks.load(std::memory_order_acquire);
}

void note_views(const Operator& op, Arguments args, Results results) {
  const AutogradHooks* hooks = autograd_hooks();
  if (hooks && (thread_state().attention & kAttentionBelowRecording) == 0) {
    hooks->note_views(op, args, results);
  }
}

}  // namespace opwright
