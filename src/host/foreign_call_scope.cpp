// The thread's state is set aside while another host's call runs on it.
#include <cstring>

#include "opwright/base/thread_state.h"
#include "opwright/bridge.h"

namespace opwright {

ForeignCallScope::ForeignCallScope() noexcept {
  static_assert(sizeof(ThreadState) <= sizeof saved_);
  std::memcpy(saved_, &thread_state(), sizeof(ThreadState));
  thread_state() = ThreadState{};
}

ForeignCallScope::~ForeignCallScope() { std::memcpy(&thread_state(), saved_, sizeof(ThreadState)); }

}  // namespace opwright
