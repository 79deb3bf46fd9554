// Saves and clears the thread's state while a call of another host runs on it.
#include <cstring>

#include "opwright/base/thread_state.h"
#include "opwright/runtime/bridge.h"

namespace opwright {

ForeignCallScope::ForeignCallScope() noexcept {
  static_assert(sizeof(ThreadState) <= sizeof saved_);
  std::memcpy(saved_, &thread_state(), sizeof(ThreadState));
  thread_state() = ThreadState{};
}

ForeignCallScope::~ForeignCallScope() { std::memcpy(&thread_state(), saved_, sizeof(ThreadState)); }

}  // namespace opwright
