#include "bindings/autograd/nested_backward.h"

#include <exception>
#include <thread>

#include "bindings/interpreter/lock.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/autograd_hooks.h"

namespace opwright::python {

void run_on_another_thread(void (*function)(const void* context), const void* context) {
  const ThreadState state = thread_state();
  const AutogradSettings settings = this_autograd_settings;
  const auto run = [&] {
    const LockScope lock;
    const ThreadStateScope scope(state);
    this_autograd_settings = settings;
    function(context);
  };
  std::exception_ptr error;
  {
    const HoldCallsScope held;
    const UnlockScope unlocked;
    std::thread worker([&] {
      try {
        run();
      } catch (...) {
        error = std::current_exception();
      }
    });
    worker.join();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace opwright::python
