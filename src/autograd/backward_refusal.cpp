#include "opwright/autograd/backward_refusal.h"

#include <string_view>

#include "opwright/error.h"

namespace opwright {
namespace {

constinit thread_local BackwardRefusalScope* current_refusal_scope = nullptr;

}  // namespace

BackwardRefusalScope::BackwardRefusalScope() noexcept : outer_(current_refusal_scope) {
  current_refusal_scope = this;
}

BackwardRefusalScope::~BackwardRefusalScope() { current_refusal_scope = outer_; }

void throw_backward_refusal(std::string_view kind, std::string_view text) {
  if (current_refusal_scope) current_refusal_scope->notify();
  throw Error(kind, text);
}

}  // namespace opwright
