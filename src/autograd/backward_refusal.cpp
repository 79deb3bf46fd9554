#include "opwright/autograd/backward_refusal.h"

#include <string_view>
#include <utility>

#include "opwright/dispatch/autograd_hooks.h"
#include "opwright/error.h"

namespace opwright {
BackwardRefusalScope::BackwardRefusalScope() noexcept
    : outer_(std::exchange(this_autograd_settings.refusal_scope, this)) {}

BackwardRefusalScope::~BackwardRefusalScope() { this_autograd_settings.refusal_scope = outer_; }

void throw_backward_refusal(std::string_view kind, std::string_view text) {
  if (BackwardRefusalScope* scope = this_autograd_settings.refusal_scope) scope->notify();
  throw Error(kind, text);
}

}  // namespace opwright
