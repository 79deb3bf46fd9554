// Defines the thread state.
#include "opwright/base/thread_state.h"

namespace opwright {

constinit thread_local ThreadState this_thread_state
    __attribute__((tls_model("initial-exec"))) = {};

}  // namespace opwright
